import { tellAnalysis } from '../../../../activities/ingest/decide/tell-analysis';
import { NAME, NUMBER, REVISION, requirement, rulesOf, STATUS, TYPE } from './fixtures';

type Upload = Parameters<typeof tellAnalysis>[1];
type LabelSource = Upload['fields'][number]['labelSource'];

const rules = rulesOf([requirement('usual')]);
const given = { waitedMs: 5_000, fill: [], missing: [] };

function upload(
  sources: readonly (readonly [typeof TYPE, LabelSource])[],
  statuses: Upload['integrationStatuses'] = { ml: 'completed', filenameScraping: 'not_applicable' },
): Upload {
  const fields = sources.map(([{ id, name, label }, labelSource]) => ({
    id,
    name,
    label,
    labelSource,
    type: 'string' as const,
    confidenceScore: null,
    values: [],
  }));
  return { fields, integrationStatuses: statuses };
}

const stored = (...entries: readonly (readonly [typeof TYPE, string])[]) =>
  entries.map(([{ label }, from]) => ({ label, value: 'x', from }));

test.each([
  ['nothing runs for it', 'not_applicable', 'not_applicable', false],
  ['the service does not say', null, null, false],
  ['it runs', 'in_progress', 'not_applicable', true],
  ['only the file name is read', 'not_applicable', 'completed', true],
  ['it failed', 'error', null, true],
] as const)('where %s', (_, ml, filenameScraping, isTold) => {
  const told = tellAnalysis(rules, upload([], { ml, filenameScraping }), { ...given, stored: [] });
  expect(told).toEqual(isTold ? { waitedMs: 5_000 } : undefined);
});

test('found is what the service says its analysis filled, and nobody of ours gave', () => {
  const seen = upload([
    [TYPE, 'ML'],
    [NUMBER, 'FILENAME_SCRAPING'],
    [REVISION, 'ML'],
    [STATUS, 'MANUAL'],
    [NAME, 'ML'],
  ]);
  const shown = stored(
    [TYPE, 'service'],
    [NUMBER, 'service'],
    [REVISION, 'row C'],
    [STATUS, 'service'],
    [NAME, 'service'],
  );
  expect(tellAnalysis(rules, seen, { ...given, stored: shown })).toEqual({
    waitedMs: 5_000,
    found: [TYPE.label, NUMBER.label],
  });
});

test('lacked is what is missing, and what waits for a default; never the name', () => {
  const fill = [
    { fieldId: STATUS.id, values: ['issued'] },
    { fieldId: NAME.id, values: ['a.pdf'] },
  ];
  expect(tellAnalysis(rules, upload([]), { ...given, fill, missing: [REVISION], stored: [] })).toEqual({
    waitedMs: 5_000,
    lacked: [REVISION.label, STATUS.label],
  });
});
