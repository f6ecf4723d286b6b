// Row 5: what waiting costs. Days pass by the fast clock of `npm run chaos -- long-waits`.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { resolveTemporalCli } from '../../../workers/temporal/temporal-cli';
import { SILENT_REPORTER } from '../../../workers/temporal/terminal-reporter';
import { answerManyUpdate } from '../../../workflows/ingest/answer-contract';
import { type BatchProgress, progressQuery } from '../../../workflows/ingest/ingest-contract';
import { RUNNING_BATCHES } from '../../chaos/fault-people';
import { runWaitings, type WaitForm } from '../../chaos/long-waits';
import { WAITINGS } from '../../chaos/long-waits-cases';
import type { Rig } from '../../setup/rig';
import { type Figure, row } from '../figures';
import { countEvents, nameOf, runJobs } from './run-jobs';

const DOCUMENTS = 100;
const NAMES = Array.from({ length: DOCUMENTS }, (_, index) => nameOf(index));
/** An hour is a second. */
const SCALE = 3_600;

export async function benchLongWaits(): Promise<Figure[]> {
  const wait = await waitOut('policy wait and a standing conflict', 7 * 24);
  const outage = await waitOut('Step 8 answers 503', 24);
  return [
    row('eventsAnswered', await answerOnce()),
    row('eventsWait', typeof wait === 'string' ? wait : wait.events),
    row('eventsOutage', typeof outage === 'string' ? outage : outage.events),
    row('requestsOutage', typeof outage === 'string' ? outage : outage.requestsAnHour),
  ];
}

async function waitOut(name: string, hours: number) {
  const form: WaitForm = { hours, scale: SCALE, documents: DOCUMENTS };
  const { path: temporalCli } = await resolveTemporalCli({ reporter: SILENT_REPORTER });
  const [end] = await runWaitings(
    WAITINGS.filter(waiting => waiting.name === name),
    form,
    { dist: join(__dirname, '../../..'), temporalCli, atOnce: 1, say: line => console.error(`  ${line}`) },
  );
  if (end === undefined) throw new Error(`There is no waiting ${name}.`);
  const [violation] = end.violations;
  return violation === undefined ? end.cost : `${violation.invariant}: ${violation.what.split('\n')[0]}`;
}

/**
 * A hundred that a person answers as a sheet does: all in one update. Counted in all runs, as for the others
 * of this row.
 */
async function answerOnce(): Promise<number> {
  const end = await runJobs({
    documents: DOCUMENTS,
    sandbox: { bulkRead: true, limits: null },
    share: { conflict: 'ask', documentName: 'file' },
    countsOthers: true,
    prepare: rig => editAll(rig, 'start-workflow'),
    async meanwhile(rig) {
      const handle = await untilHeld(rig);
      await editAll(rig, 'end-workflow');
      const answers = [{ documents: [...NAMES], decision: 'retry' as const }];
      await handle.executeUpdate(answerManyUpdate, { args: [{ answers }] });
    },
  });
  return countEvents({ histories: [...end.histories, ...end.others] });
}

async function editAll({ config, control }: Rig, kind: 'start-workflow' | 'end-workflow'): Promise<void> {
  const projectId = config.shares[0]?.project.projectId ?? '';
  for (const name of NAMES) await control.edit(projectId, { kind, name });
}

async function untilHeld({ temporal: { client } }: Rig): Promise<WorkflowHandle> {
  for (;;) {
    for await (const { workflowId } of client.workflow.list({ query: RUNNING_BATCHES })) {
      const handle = client.workflow.getHandle(workflowId);
      const { held } = (await handle.query(progressQuery)) as BatchProgress;
      if (held.length === DOCUMENTS) return handle;
    }
    await delay(200);
  }
}
