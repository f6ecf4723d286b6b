// What is said of Temporal.
import { judgeServed, judgeTemporal } from '../../../client/doctor/judge-temporal';
import type { TemporalFacts } from '../../../client/doctor/look-at-temporal';

type Answers = Extract<TemporalFacts, { kind: 'there' }>;
const DAY_MS = 24 * 3_600_000;

const well: Answers = {
  kind: 'there',
  address: 'temporal:7233',
  namespace: 'works',
  version: '1.29.1',
  found: { value: { id: 'one', retentionMs: 30 * DAY_MS } },
  missingAttributes: { value: [] },
  serviceServed: { value: true },
  sharesServed: new Map(),
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
  ['no worker runs', { serviceServed: { value: false } }, ['workers: wrong']],
  ['nobody tells whether one runs', { serviceServed: { why: 'not permitted' } }, ['workers: not-asked']],
])('%s', (_, facts, verdicts) => {
  expect(verdictsOf({ ...well, ...facts })).toEqual(verdicts);
});

test('of a Temporal that does not answer nothing else is said to be well', () => {
  expect(verdictsOf({ kind: 'away', why: 'Temporal does not answer.' })).toEqual([
    'Temporal: wrong',
    'Temporal, namespace and workers: not-asked',
  ]);
  expect(judgeServed('share a, workers', undefined, 'share a', '').verdict).toBe('not-asked');
});
