// What people hand over: rows of time clocks, of observations and of people as CSV and JSON, and
// the inputs of workflows. Either they are taken, or one error says what is wrong with which
// row, in a length that can be read.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { readObservationImport } from '../../client/import/observation-import';
import { readTemplateChanges } from '../../client/import/template-changes';
import { readTimesheetImport } from '../../client/import/timesheet-import';
import { readWebhookEvent } from '../../client/webhooks/webhook-event';
import { changeOrderInput } from '../../workflows/change-orders/change-order-contract';
import { answerInput } from '../../workflows/ingest/answer-contract';
import { ingestBatchInput, ingestFilesInput } from '../../workflows/ingest/ingest-contract';
import {
  confirmInput,
  observationInput,
  respondInput,
  reviewedInput,
  sendUnsentInput,
  workDoneInput,
} from '../../workflows/observations/observation-contract';
import { parseInput } from '../../workflows/run/parse-input';
import {
  approveTimesheetsInput,
  decisionInput,
  timesheetInput,
} from '../../workflows/timesheets/timesheet-contract';
import { changePermissionTemplateInput, decideMemberInput } from '../../workflows/users/users-contract';
import { ensureWebhooksInput, webhookEventInput } from '../../workflows/webhooks/webhooks-contract';
import { describeThrown, type KindResult, type KindRun, Tally } from './bad-input-kind';
import { Dice, type Json, MEMBER_NAMES, oddValue, spoilBytes, spoilJson, toText } from './bad-input-mutate';

/** More than anybody reads, and far less than what a failure may weigh. */
const MOST_MESSAGE = 60_000;

const ROW: Json = {
  date: '2026-01-31',
  ref: 'r-1',
  person: 'Ada',
  costCode: '01-100',
  timeIn: '07:30',
  timeOut: '16:00',
  lunchMinutes: 30,
  billable: true,
  description: 'slab',
};
const OBSERVATION: Json = {
  type: 'Deficiency',
  name: 'Axis C',
  description: 'crack',
  priority: 'High',
  dueDate: '2026-02-01',
  distribution: ['Ada', 'Ben'],
  photos: ['axis-c.jpg'],
};
const CSV_FILES = {
  times:
    'Date;Ref;Person;Cost code;In;Out;Lunch;Billable;Note\n2026-01-31;r-1;Ada;01-100;7:30;16:00;30;yes;slab\n2026-01-31;r-2;Ben;01-100;7:30;16:00;30;no;"a;b"\n',
  observations:
    'type,name,description,photo,personal\nDeficiency,Axis C,crack,axis-c.jpg,no\nDeficiency,Axis D,"two\nlines",,yes\n',
  people:
    'email,permission template,previous template\nada@example.com,Project Admin,Read Only\nben@example.com,Project Admin,\n',
} as const;

const LINE: Json = { key: 'a', description: 'Concrete', amount: '12500.00', costCodeId: 12 };
const common: { [key: string]: Json } = { companyId: 5001, projectId: '7001' };
const order: { [key: string]: Json } = { ...common, contractId: 9, originId: 'CO-1', title: 'Slab' };
/** Every input that a person or a program can send to a workflow, with one that is right. */
const INPUTS: readonly (readonly [name: string, schema: z.ZodType, valid: Json])[] = [
  [
    'ingestBatch',
    ingestBatchInput,
    { share: 'tender', batchId: '20260131-093000-k3f9a2', manifestSha256: 'a'.repeat(64) },
  ],
  ['ingestFiles', ingestFilesInput, { share: 'tender', paths: ['a.pdf', 'b/c.pdf'] }],
  [
    'answer',
    answerInput,
    { document: 7, decision: 'terminate', reason: 'old', status: 'Superseded', values: { Type: 'Drawing' } },
  ],
  ['changeOrder', changeOrderInput, { ...order, tiers: 1, lineItems: [LINE] }],
  [
    'observation',
    observationInput,
    { ...common, type: 'Deficiency', name: 'Axis C', share: 'tender', attachments: ['a.jpg'] },
  ],
  ['workDone', workDoneInput, { comment: 'done' }],
  ['respond', respondInput, { comment: 'look' }],
  ['reviewed', reviewedInput, { accepted: true }],
  ['sendUnsent', sendUnsentInput, { ...common }],
  ['confirm', confirmInput, { count: 3 }],
  [
    'timesheet',
    timesheetInput,
    {
      ...common,
      date: '2026-01-31',
      timing: 'times',
      rows: [{ person: 'Ada', timeIn: '07:30', timeOut: '16:00', costCode: '1' }],
    },
  ],
  ['approve', approveTimesheetsInput, { ...common, timesheetIds: [1, '2'] }],
  ['decision', decisionInput, { decision: 'approve' }],
  ['template', changePermissionTemplateInput, { ...common, user: 'ada@example.com', template: 'Admin' }],
  ['decideMember', decideMemberInput, { leaveOutside: true, reason: 'left' }],
  [
    'ensureWebhooks',
    ensureWebhooksInput,
    {
      ...common,
      destinationUrl: 'https://hooks.example.com/x',
      triggers: [{ resource: 'Observations', events: ['create'] }],
    },
  ],
  [
    'webhookEvent',
    webhookEventInput,
    {
      event: {
        eventId: '1',
        version: 'v2',
        resource: 'a',
        event: 'create',
        resourceId: '1',
        companyId: '1',
        projectId: '1',
        timestamp: '',
      },
      reactions: [{ kind: 'start', name: 'a', workflow: 'observationWorkflow', input: { deep: [1] } }],
    },
  ],
];
const EVENT: Json = {
  id: 12,
  resource_name: 'Observations',
  event_type: 'create',
  resource_id: 3,
  company_id: 5001,
  project_id: 7001,
  timestamp: '2026-01-31T09:30:00Z',
  api_version: 'v2',
  metadata: { source_user_id: 1 },
};

/** Rows and inputs, spoiled and read by what reads them in the product. */
export async function tryRows(run: KindRun): Promise<KindResult> {
  const dice = new Dice(run.seed);
  const tally = new Tally('rows');
  const photos = join(run.folder, 'photos');
  mkdirSync(photos);
  writeFileSync(join(photos, 'axis-c.jpg'), 'x');
  for (let turn = 0; turn < run.cases; turn++) {
    const where = `seed ${run.seed} turn ${turn}`;
    switch (turn % 4) {
      case 0:
        await tryFile(tally, where, dice, run.folder, photos);
        break;
      case 1:
        tryPeople(tally, where, spoilCsv(dice, CSV_FILES.people));
        break;
      case 2:
        tryEvent(tally, where, spoilJson(dice, EVENT, turn % 40 === 2));
        break;
      default:
        tryInput(tally, where, dice, turn % 40 === 3);
    }
  }
  return tally.result();
}

async function tryFile(
  tally: Tally,
  where: string,
  dice: Dice,
  folder: string,
  photos: string,
): Promise<void> {
  const isTimes = dice.below(2) === 0;
  const isJson = dice.below(2) === 0;
  const name = join(folder, isJson ? 'rows.json' : 'rows.csv');
  const valid = isTimes ? ROW : OBSERVATION;
  const text = isJson
    ? spoilList(dice, valid)
    : spoilCsv(dice, isTimes ? CSV_FILES.times : CSV_FILES.observations);
  writeFileSync(name, text);
  try {
    const read = isTimes
      ? await readTimesheetImport(name, [])
      : (await readObservationImport(photos, name)).rows;
    const isPlain = JSON.stringify(read).length > 0 && !/native code|\[object /.test(JSON.stringify(read));
    if (!isPlain) tally.violate('a clear error', where, `read as ${JSON.stringify(read).slice(0, 200)}`);
    tally.ended('taken');
  } catch (error) {
    judgeError(tally, where, error, 'CLI');
  }
}

function spoilList(dice: Dice, valid: Json): Buffer {
  if (dice.below(4) === 0) return spoilBytes(dice, Buffer.from(toText([valid])));
  const many = dice.below(30) === 0 ? 21_000 : 1;
  return Buffer.from(
    toText(
      spoilJson(
        dice,
        Array.from({ length: many }, () => valid),
        dice.below(20) === 0,
      ),
    ),
  );
}

function spoilCsv(dice: Dice, text: string): Buffer {
  const [head = '', ...rest] = text.split('\n');
  switch (dice.below(4)) {
    case 0:
      return spoilBytes(dice, Buffer.from(text));
    case 1: {
      const separator = head.includes(';') ? ';' : ',';
      const titles = head.split(separator);
      titles[dice.below(titles.length)] = dice.pick([...MEMBER_NAMES, '', ' ', '\u0000', 'x'.repeat(10_000)]);
      return Buffer.from([titles.join(separator), ...rest].join('\n'));
    }
    case 2: {
      const cell = toText(oddValue(dice)).replaceAll('\n', ' ');
      return Buffer.from(
        text.replace(dice.pick(['Ada', 'Axis C', 'r-1', '7:30', 'axis-c.jpg', 'crack']), () => cell),
      );
    }
    default:
      return Buffer.from(`${head}\n${`${rest[0]}\n`.repeat(dice.pick([2, 3, 600, 2_500]))}`);
  }
}

function tryPeople(tally: Tally, where: string, bytes: Buffer): void {
  try {
    const read = readTemplateChanges(bytes.toString('utf8'));
    if ('faults' in read && read.faults.length === 0)
      tally.violate('a clear error', where, 'refused without a fault');
    tally.ended('faults' in read ? 'refused' : 'taken');
  } catch (error) {
    judgeError(tally, where, error, 'CLI');
  }
}

function tryEvent(tally: Tally, where: string, event: Json): void {
  try {
    tally.ended(readWebhookEvent(event) === undefined ? 'refused' : 'taken');
  } catch (error) {
    judgeError(tally, where, error, 'CLI');
  }
}

function tryInput(tally: Tally, where: string, dice: Dice, isLarge: boolean): void {
  const [name, schema, valid] = dice.pick(INPUTS);
  const input = dice.below(20) === 0 ? valid : spoilJson(dice, valid, isLarge);
  try {
    parseInput(schema, input, valid);
    tally.ended('taken');
  } catch (error) {
    judgeError(tally, `${name} ${where}`, error, 'INVALID_INPUT');
  }
}

function judgeError(tally: Tally, where: string, error: unknown, expected: 'CLI' | 'INVALID_INPUT'): void {
  const { code, type, message } = (error ?? {}) as { code?: unknown; type?: unknown; message?: unknown };
  if ((code !== expected && type !== expected) || typeof message !== 'string' || message === '') {
    tally.ended('crash');
    tally.violate('a clear error', where, describeThrown(error));
    return;
  }
  tally.ended('refused');
  if (message.length > MOST_MESSAGE) tally.violate('a clear error', where, `${message.length} characters`);
  if (/native code|\[object /.test(message)) tally.violate('a clear error', where, message);
}
