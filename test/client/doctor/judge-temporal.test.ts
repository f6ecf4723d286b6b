// What is said of Temporal.
import { judgeServed, judgeTemporal } from '../../../client/doctor/judge-temporal';
import type { TemporalFacts } from '../../../client/doctor/look-at-temporal';
import type { SeenRuns } from '../../../client/resume/look-at-runs';
import type { OtherRun } from '../../../client/resume/other-runs';

type Answers = Extract<TemporalFacts, { kind: 'there' }>;
const DAY_MS = 24 * 3_600_000;

const NONE: SeenRuns = { away: [], unserved: [], running: [], others: [] };
const reason = { code: 'MISCONFIGURED', text: 'It was begun for another project.', fix: 'Set it back.' };
const BLOCKED = {
  workflow: 'observationWorkflow',
  progress: { blocked: { reason, sinceMs: 1 } },
} as OtherRun;
const UNANSWERED = { workflow: 'observationWorkflow' } as OtherRun;
const SILENT = { workflow: 'keepFieldsWorkflow' } as OtherRun;

const well: Answers = {
  kind: 'there',
  address: 'temporal:7233',
  namespace: 'works',
  version: '1.29.1',
  found: { value: { id: 'one', retentionMs: 30 * DAY_MS } },
  missingAttributes: { value: [] },
  serviceServed: { value: true },
  sharesServed: new Map(),
  runs: { value: NONE },
  clock: { lowMs: -40, highMs: 20 },
  isHttpApiClosed: true,
  isEmbedded: true,
};

const verdictsOf = (facts: TemporalFacts) =>
  judgeTemporal(facts, 'drawbridge').flatMap(({ check, verdict }) =>
    verdict === 'ok' ? [] : [`${check}: ${verdict}`],
  );

test.each<[string, Partial<Answers>, readonly string[]]>([
  ['all is well', {}, []],
  ['there is no namespace', { found: { value: 'no such namespace' } }, ['Temporal: wrong']],
  ['the namespace is not told', { found: { why: 'not permitted' } }, ['Temporal: wrong']],
  [
    'runs are forgotten in a day',
    { found: { value: { id: 'one', retentionMs: DAY_MS } } },
    ['Temporal, retention: look'],
  ],
  [
    'nobody says when runs are forgotten',
    { found: { value: { id: 'one', retentionMs: undefined } } },
    ['Temporal, retention: not-asked'],
  ],
  [
    'a search attribute is missing',
    { missingAttributes: { value: ['DrawbridgeJob'] } },
    ['Temporal, search attributes: look'],
  ],
  [
    'search attributes cannot be listed',
    { missingAttributes: { why: 'not permitted' } },
    ['Temporal, search attributes: not-asked'],
  ],
  ['any web page may start runs', { isHttpApiClosed: false }, ['Temporal, HTTP API: wrong']],
  ['the system does not tell', { isHttpApiClosed: undefined }, ['Temporal, HTTP API: not-asked']],
  ['it is not ours to start', { isHttpApiClosed: undefined, isEmbedded: false }, []],
  [
    'its clock is a minute behind',
    { clock: { lowMs: -61_000, highMs: -60_000 } },
    ['clock of Temporal: look'],
  ],
  ['it does not tell how late it is', { clock: undefined }, ['clock of Temporal: not-asked']],
  ['no worker runs', { serviceServed: { value: false } }, ['workers: wrong']],
  ['nobody tells whether one runs', { serviceServed: { why: 'not permitted' } }, ['workers: not-asked']],
])('%s', (_, facts, verdicts) => {
  expect(verdictsOf({ ...well, ...facts })).toEqual(verdicts);
});

test.each<[string, TemporalFacts & { kind: 'there' }, readonly string[]]>([
  ['nobody tells how they stand', { ...well, runs: { why: 'not permitted' } }, ['runs: not-asked']],
  [
    'those of a share that is configured here wait: said with that share',
    {
      ...well,
      sharesServed: new Map([['tender', { value: false }]]),
      runs: { value: { ...NONE, unserved: [{ share: 'tender', batches: 1, others: 0, documents: 2 }] } },
    },
    [],
  ],
  [
    'those of a share of another name wait',
    {
      ...well,
      runs: { value: { ...NONE, unserved: [{ share: 'former', batches: 1, others: 0, documents: 2 }] } },
    },
    ['runs of share former: wrong'],
  ],
  [
    'some did not answer, but for those that never do',
    { ...well, runs: { value: { ...NONE, others: [UNANSWERED, SILENT] } } },
    ['runs: not-asked'],
  ],
  ['those that never answer', { ...well, runs: { value: { ...NONE, others: [SILENT] } } }, []],
  ['not all were looked at', { ...well, runs: { value: { ...NONE, limitedTo: { batches: 10_000 } } } }, []],
  [
    'one is blocked, and others are not known',
    { ...well, runs: { value: { ...NONE, others: [BLOCKED, UNANSWERED], limitedTo: { others: 500 } } } },
    ['runs: look', 'runs: not-asked'],
  ],
])('of the runs: %s', (_, facts, verdicts) => {
  expect(verdictsOf(facts)).toEqual(verdicts);
});

test('how many did not answer, and how far the look went, is said', () => {
  const textOf = (runs: SeenRuns) =>
    judgeTemporal({ ...well, runs: { value: runs } }, 'drawbridge')
      .filter(({ check }) => check === 'runs')
      .map(({ text }) => text);
  const limitedTo = { batches: 10_000, others: 500 };
  const limit = 'No more than the newest 10,000 batches and the newest 500 other runs were looked at.';
  expect(textOf({ ...NONE, others: [UNANSWERED] })).toEqual([
    '1 did not answer, or were not asked after those.',
  ]);
  expect(textOf({ ...NONE, limitedTo })).toEqual([`none says that it is blocked. ${limit}`]);
  expect(textOf({ ...NONE, others: [BLOCKED], limitedTo })).toEqual([
    `1 is blocked: It was begun for another project. Set it back. ${limit}`,
  ]);
});

test('runs that are blocked are counted, with why the first of them is and where all of them are told', () => {
  const answering = { ...BLOCKED, progress: {} };
  const runs = { ...NONE, running: [answering, BLOCKED], others: [BLOCKED] } as unknown as SeenRuns;
  expect(judgeTemporal({ ...well, runs: { value: runs } }, 'drawbridge')).toContainEqual({
    check: 'runs',
    verdict: 'look',
    text: '2 are blocked: It was begun for another project. Set it back.',
    todo: 'How each stands: drawbridge status',
  });
});

test('of a Temporal that does not answer nothing else is said to be well', () => {
  expect(verdictsOf({ kind: 'away', why: 'Temporal does not answer.' })).toEqual([
    'Temporal: wrong',
    'Temporal, namespace and workers: not-asked',
  ]);
  expect(judgeServed('share a, workers', undefined, 'share a', '').verdict).toBe('not-asked');
});
