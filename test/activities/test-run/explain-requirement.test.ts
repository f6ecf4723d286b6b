import { weighDocument } from '../../../activities/ingest/decide/plan-document';
import type { ProjectRules } from '../../../activities/ingest/decide/project-rules';
import { explainRequirement, tellRound } from '../../../activities/test-run/explain-requirement';

const field = (name: string, label: string) =>
  ({ id: `f-${name}`, name, label, type: 'lov_entry', isUserReference: false }) as const;
const type = field('type', 'Type');
const discipline = field('discipline', 'Discipline');
const number = field('number', 'Number');

/** Every document needs a Type; drawings a Discipline and a Number besides. */
const rules: ProjectRules = {
  fields: [type, discipline, number],
  requirements: [
    { id: 'default', qualifiers: [], required: [type], scrapedFieldIds: null, allowDuplicateRevisions: true },
    {
      id: 'drawings',
      qualifiers: [{ fieldId: type.id, acceptableValueIds: ['v1'], acceptableLabels: ['Drawing'] }],
      required: [type, discipline, number],
      scrapedFieldIds: null,
      allowDuplicateRevisions: true,
    },
  ],
};
const explain = (mimeType: string, writes: readonly { fieldId: string; values: string[] }[]) =>
  explainRequirement(
    rules,
    weighDocument(
      rules,
      { mimeType, fileName: 'A-1.pdf' },
      { writes, problems: [] },
      { writes: [], problems: [] },
    ),
  );

test('what each type that the analysis could find would then ask for is told at once', () => {
  const { now, later, isComplete } = explain('application/pdf', []);
  expect(isComplete).toBe(false);
  expect(tellRound(now)).toBe('the default of the project: lacks Type (the service may find it)');
  expect(later.map(tellRound)).toEqual([
    'Type is "Drawing": lacks Type (the service may find it), Discipline, Number (the service may find it)',
  ]);
});

test('a given type decides, and says why', () => {
  const drawing = { fieldId: type.id, values: ['v1'] };
  const { now, later } = explain('application/pdf', [drawing]);
  expect(now).toEqual({ when: 'Type is "Drawing"', lacks: ['Discipline', 'Number'], maybeFound: ['Number'] });
  expect(later).toEqual([]);
  const all = [discipline, number].map(({ id }) => ({ fieldId: id, values: ['x'] }));
  expect(explain('application/pdf', [drawing, ...all]).isComplete).toBe(true);
});

test('complete is only what every type that could be found has enough for', () => {
  const withDefault = weighDocument(
    rules,
    { mimeType: 'application/pdf', fileName: 'A-1.pdf' },
    { writes: [], problems: [] },
    { writes: [{ fieldId: type.id, values: ['v2'] }], problems: [] },
  );
  const { now, isComplete } = explainRequirement(rules, withDefault);
  expect([now.lacks, isComplete]).toEqual([[], false]);
});

test('what is not analysed gets no value from the service', () => {
  expect(explain('image/vnd.dwg', [])).toMatchObject({ now: { lacks: ['Type'], maybeFound: [] }, later: [] });
});
