// What was set apart in tests of the view, and a server that brings it back once.
import type { AgainTold, ApartPage, ApartRow } from '../../../../client/console/contract/apart';
import type { ProjectFieldOf } from '../../../../client/console/contract/waiting';
import type { Fakes } from './browser-bed';
import { fieldsPage } from './sample-waiting';

export function apartRow(index: number, given: Partial<ApartRow> = {}): ApartRow {
  return {
    share: 'tender',
    batchId: '20261120-093000-k3f7a2',
    index,
    job: 'a'.repeat(20),
    jobName: 'TR-0139 MEP level 03',
    isJob: true,
    key: `row${index}`,
    file: `M-${index}.pdf`,
    row: 10 + index,
    number: `HBT-ARU-ZZ-03-DR-M-01${String(index).padStart(2, '0')}`,
    revision: 'P01',
    title: 'Chilled water, level 03, schematic',
    code: 'unknown-value',
    reason: 'Type "Plam" is none. Nearest: Plan.',
    whatToDo: 'Write one of the project.',
    isSafe: true,
    takesFile: false,
    since: '2026-11-20T10:00:00.000Z',
    ...given,
  };
}

export const SAMPLE_TYPE: ProjectFieldOf = {
  name: 'type',
  label: 'Type',
  takes: 'one-of',
  isPeople: false,
  required: true,
  requiredByType: [],
  requiredByFields: [],
  isForced: false,
  values: ['Plan', 'Section', 'Schedule'].map(label => ({ label, code: label.slice(0, 2).toUpperCase() })),
};

interface ApartSample {
  rows: readonly ApartRow[];
  asked: unknown[];
}

/** All of one reason. */
function toPage(rows: readonly ApartRow[]): ApartPage {
  const [first] = rows;
  const group = {
    code: first?.code ?? '',
    title: 'A value is not one of this project',
    cause: first?.reason ?? null,
    cure: first?.whatToDo ?? null,
    stands: null,
    rows: rows.length,
  };
  return {
    groups: first === undefined ? [] : [group],
    rows: [...rows],
    count: rows.length,
    unread: [],
    at: new Date().toISOString(),
  };
}

export function apartFakes(sample: ApartSample): Fakes {
  return {
    'GET /api/apart': () => toPage(sample.rows),
    'GET /api/apart/count': () => ({ count: sample.rows.length }),
    'GET /api/apart/columns/:share/:job': () => ({
      headers: ['File', 'Number', 'Type'],
      fields: [null, 'number', 'type'],
      fileAt: 0,
      rows: sample.rows.map(({ share, batchId, index, file }) => ({
        share,
        batchId,
        index,
        cells: [file, 'N-1', 'Plam'],
      })),
    }),
    'GET /api/fields/:share': () => fieldsPage([SAMPLE_TYPE]),
    'POST /api/try-again': ({ body }): AgainTold => {
      sample.asked.push(body);
      const goes = sample.rows.filter(one => body.documents.some(({ index }) => index === one.index));
      const isGone = goes.length < body.documents.length;
      if (!body.dryRun) sample.rows = sample.rows.filter(one => !goes.includes(one));
      return {
        goes: goes.length,
        comesBack: [],
        lookFirst: 0,
        stays: isGone ? ['One does not lie there any more: somebody took it up.'] : [],
      };
    },
  };
}
