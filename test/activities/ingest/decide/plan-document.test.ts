import fc from 'fast-check';
import {
  type DocumentPlan,
  listWanted,
  planDocument,
  type Resolver,
  resolveValues,
} from '../../../../activities/ingest/decide/plan-document';
import type { ProjectRules } from '../../../../activities/ingest/decide/project-rules';
import type { ValuesByField } from '../../../../workflows/contract';
import { explainMissing } from '../../../../workflows/ingest/decide/explain-missing';
import {
  DESCRIPTION,
  DISCIPLINE,
  FIELDS,
  field,
  NAME,
  NUMBER,
  REVISION,
  requirement,
  rulesOf,
  STATUS,
  TAGS,
  TYPE,
} from './fixtures';

/** Every text is known but "bad" ones; ids are the texts in lower case. */
const resolve: Resolver = (_field, text) =>
  text.startsWith('bad')
    ? { kind: 'unknown', nearest: ['Drawing (D)'] }
    : { kind: 'resolved', value: text.toLowerCase() };

function plan(
  rules: ProjectRules,
  given: { explicit?: ValuesByField; defaults?: ValuesByField; mimeType?: string; fileName?: string },
): DocumentPlan {
  const { explicit = {}, defaults = {}, mimeType = 'application/pdf', fileName = 'A & B.pdf' } = given;
  return planDocument(
    rules,
    { mimeType, fileName },
    resolveValues(rules, explicit, resolve),
    resolveValues(rules, defaults, resolve),
  );
}

function written({ now }: DocumentPlan): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(now.map(({ fieldId, values }) => [fieldId, values]));
}

const labels = ({ hopeless }: DocumentPlan) => hopeless.map(({ label }) => label);
const all = { type: 'Drawing', status: 'Issued', revision: 'A' };
const DWG = 'image/vnd.dwg';
const usual = requirement('usual');
const standard = requirement('usual', {}, [NUMBER], { scrapedFieldIds: [NUMBER.id, REVISION.id] });

describe('values of people', () => {
  const rules = rulesOf([usual]);

  test('find their field by name or label, and blank ones say nothing', () => {
    const { writes, problems } = resolveValues(
      rules,
      { TYPE: 'Drawing', Status: '  ', tags: ['', 'Late', 'Urgent'], 'no such field': '' },
      resolve,
    );
    expect(writes).toEqual([
      { fieldId: TYPE.id, values: ['drawing'] },
      { fieldId: TAGS.id, values: ['late', 'urgent'] },
    ]);
    expect(problems).toEqual([]);
  });

  test.each([
    ['a field the project does not have', { Floor: '3' }],
    [
      'a field that is readonly, inactive or invisible, and so not among the writable ones',
      { placed_by: 'Ann' },
    ],
    ['a field of the workflow engine', { workflow_manager: 'Ann' }],
    ['a field by the label of the workflow engine', { 'Workflow manager': 'Ann' }],
    ['the name of something every object has', { constructor: 'x' }],
  ])('under %s are a problem, and nothing is written', (_what, values) => {
    const withEngine = rulesOf(
      [usual],
      [...FIELDS, field('workflow_manager', 'reference', { isUserReference: true })],
    );
    const { writes, problems } = resolveValues(withEngine, values, resolve);
    expect(writes).toEqual([]);
    expect(problems).toMatchObject([
      { code: 'unknown-field', text: expect.stringContaining(Object.keys(values)[0]!) },
    ]);
    expect(problems[0]?.fix).not.toContain('Workflow');
  });

  test('under a label that two fields have are a problem, for either may be meant', () => {
    const twins = [
      field('zone_1', 'string', { label: 'Zone' }),
      field('zone_2', 'string', { label: 'Zone' }),
    ];
    expect(resolveValues(rulesOf([usual], twins), { Zone: '1' }, resolve).problems).toHaveLength(1);
  });

  test('that are wrong are all named at once, and none of a field’s values is written if one is wrong', () => {
    const { writes, problems } = resolveValues(
      rules,
      { type: 'bad type', tags: ['Late', 'bad tag', 'bad too'], status: 'Issued', Floor: '3' },
      resolve,
    );
    expect(writes).toEqual([{ fieldId: STATUS.id, values: ['issued'] }]);
    expect(problems.map(({ code }) => code).sort()).toEqual([
      'unknown-field',
      'unknown-value',
      'unknown-value',
      'unknown-value',
    ]);
    for (const { fix } of problems.filter(({ code }) => code === 'unknown-value'))
      expect(fix).toContain('Drawing (D)');
  });

  test.each([
    ['inactive', { kind: 'inactive', nearest: ['Sketch'] }, 'Sketch'],
    ['inactive in an empty list', { kind: 'inactive', nearest: [] }, 'administrator'],
    ['ambiguous', { kind: 'ambiguous', nearest: ['Plan (P1)', 'Plan (P2)'] }, 'Plan (P1), Plan (P2)'],
    [
      'malformed',
      { kind: 'malformed', expected: 'a number, for example 12.5' },
      'a number, for example 12.5',
    ],
  ] as const)(
    'that are %s say what was written, where, and what can be written',
    (what, resolution, hint) => {
      const { problems } = resolveValues(rules, { Type: 'Planche' }, () => resolution);
      expect(problems).toMatchObject([{ code: expect.stringContaining(what.split(' ')[0]!) }]);
      expect(problems[0]?.text).toContain('"Planche"');
      expect(problems[0]?.text).toContain('"Type"');
      expect(problems[0]?.fix).toContain(hint);
    },
  );

  test('several for a field that takes one are a problem', () => {
    const { writes, problems } = resolveValues(rules, { type: ['Drawing', 'Sketch'] }, resolve);
    expect(writes).toEqual([]);
    expect(problems).toMatchObject([{ code: 'too-many-values' }]);
  });

  test('that mean the same entry of a multi-select are written once', () => {
    expect(resolveValues(rules, { tags: ['Late', 'LATE'] }, resolve).writes).toEqual([
      { fieldId: TAGS.id, values: ['late'] },
    ]);
  });

  test('for one field by its name and by its label are one write: the last counts, whatever the first was', () => {
    const { writes, problems } = resolveValues(
      rules,
      { type: 'bad', Type: 'Drawing', ' TYPE ': '' },
      resolve,
    );
    expect(writes).toEqual([{ fieldId: TYPE.id, values: ['drawing'] }]);
    expect(problems).toEqual([]);
  });

  test('are looked up before they are resolved: every pair that is resolved was wanted, each once', () => {
    const name = fc.constantFrom('type', 'Type', 'tags', 'Status', 'Floor', 'workflow_manager', 'revision');
    const text = fc.constantFrom('', ' ', 'a', 'b', 'bad', 'A');
    const values = fc.dictionary(name, fc.oneof(text, fc.array(text, { maxLength: 3 })), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, values, (first, second) => {
        const keys = listWanted(rules, [first, second]).map(wanted => `${wanted.field.id} ${wanted.text}`);
        expect(new Set(keys).size).toBe(keys.length);
        const asked: string[] = [];
        for (const set of [first, second]) {
          const { writes } = resolveValues(rules, set, (asked_, text_) => {
            asked.push(`${asked_.id} ${text_}`);
            return resolve(asked_, text_);
          });
          expect(new Set(writes.map(({ fieldId }) => fieldId)).size).toBe(writes.length);
          for (const write of writes) expect(write.values).not.toHaveLength(0);
        }
        for (const one of asked) expect(keys).toContain(one);
      }),
    );
  });

  test('of the workflow engine’s fields are not even looked up', () => {
    const engine = field('workflow_assignees', 'reference', { isUserReference: true });
    expect(listWanted(rulesOf([usual], [...FIELDS, engine]), [{ workflow_assignees: 'Ann' }])).toEqual([]);
  });
});

describe('a document whose values are all given', () => {
  test('is written at once, and waits for nothing', () => {
    const result = plan(rulesOf([usual]), { explicit: all });
    expect(written(result)).toEqual({
      [TYPE.id]: ['drawing'],
      [STATUS.id]: ['issued'],
      [REVISION.id]: ['a'],
    });
    expect(result).toMatchObject({ needsAnalysis: false, hopeless: [], problems: [], notices: [] });
  });

  test('is not given its name yet: what the service has there tells whose file the upload is', () => {
    for (const explicit of [all, { ...all, name: 'ground floor' }]) {
      const { now } = plan(rulesOf([usual]), { explicit });
      expect(now.map(({ fieldId }) => fieldId)).not.toContain(NAME.id);
    }
  });

  test('needs what its own requirement needs, not what others need', () => {
    const drawings = requirement('drawings', { [TYPE.id]: ['drawing'] }, [DISCIPLINE]);
    const rules = rulesOf([usual, drawings]);
    expect(labels(plan(rules, { explicit: all, mimeType: DWG }))).toEqual(['Discipline']);
    expect(labels(plan(rules, { explicit: { ...all, type: 'Letter' }, mimeType: DWG }))).toEqual([]);
  });

  test('says when several requirements tie', () => {
    const one = requirement('one', { [TYPE.id]: ['drawing'] });
    const two = requirement('two', { [STATUS.id]: ['issued'] });
    expect(plan(rulesOf([usual, one, two]), { explicit: all }).notices).toHaveLength(1);
    expect(plan(rulesOf([usual, one]), { explicit: all }).notices).toEqual([]);
  });
});

describe('a default', () => {
  const rules = rulesOf([usual]);

  test('is written at once where nothing else can fill the field', () => {
    const result = plan(rules, {
      explicit: { type: 'Letter', revision: 'A' },
      defaults: { status: 'Draft' },
    });
    expect(written(result)[STATUS.id]).toEqual(['draft']);
    expect(result).toMatchObject({ needsAnalysis: false, hopeless: [] });
  });

  test('waits for the analysis of a PDF where the analysis may fill the field', () => {
    const result = plan(rules, {
      explicit: { status: 'Issued', revision: 'A' },
      defaults: { type: 'Letter' },
    });
    expect(written(result)).not.toHaveProperty(TYPE.id);
    expect(result).toMatchObject({ needsAnalysis: true, hopeless: [] });
  });

  test('waits for it also where the field is not required: written sooner, it would keep the analysis out', () => {
    const result = plan(rules, { explicit: all, defaults: { description: 'None' } });
    expect(written(result)).not.toHaveProperty(DESCRIPTION.id);
    expect(result.needsAnalysis).toBe(true);
  });

  test('does not wait for an analysis that a file of its kind does not get', () => {
    const result = plan(rules, { defaults: { ...all, description: 'None' }, mimeType: DWG });
    expect(written(result)).toMatchObject({ [TYPE.id]: ['drawing'], [DESCRIPTION.id]: ['none'] });
    expect(result.needsAnalysis).toBe(false);
  });

  test('waits for the naming standard where that reads the field, whatever the kind of file', () => {
    const result = plan(rulesOf([standard]), {
      explicit: { type: 'Letter', status: 'Issued' },
      defaults: { revision: '0', number: '0' },
      mimeType: DWG,
    });
    expect(written(result)).not.toHaveProperty(REVISION.id);
    expect(result).toMatchObject({ needsAnalysis: true, hopeless: [] });
  });

  test('gives way to what people said, and is then not looked at: a wrong one is no problem', () => {
    const result = plan(rules, { explicit: all, defaults: { type: 'bad', status: 'bad' } });
    expect(result.problems).toEqual([]);
    expect(written(result)).toMatchObject({ [TYPE.id]: ['drawing'], [STATUS.id]: ['issued'] });
  });

  test('that is wrong is a problem of the document that would use it, in plain words only', () => {
    const { problems } = plan(rules, {
      explicit: { type: 'Letter', revision: 'A' },
      defaults: { status: 'bad' },
    });
    expect(problems).toHaveLength(1);
    expect(new Set(Object.keys(problems[0] ?? {}))).toEqual(new Set(['code', 'text', 'fix']));
  });

  test('can make another requirement apply, whose fields are then needed', () => {
    const drafts = requirement('drafts', { [STATUS.id]: ['draft'] }, [DISCIPLINE]);
    const given = { explicit: { type: 'Letter', revision: 'A' }, defaults: { status: 'Draft' } };
    expect(labels(plan(rulesOf([usual, drafts]), given))).toEqual(['Discipline']);
    expect(
      labels(plan(rulesOf([usual, drafts]), { ...given, defaults: { status: 'Draft', discipline: 'A' } })),
    ).toEqual([]);
  });

  test('never names a document, and says so', () => {
    const result = plan(rules, { explicit: all, defaults: { name: 'Document' } });
    expect(result.now.map(({ fieldId }) => fieldId)).not.toContain(NAME.id);
    expect(result.notices).toHaveLength(1);
  });
});

describe('a required field without a value', () => {
  test('is hopeless when nothing can fill it', () => {
    const result = plan(rulesOf([usual]), { explicit: { type: 'Letter' }, mimeType: DWG });
    expect(labels(result)).toEqual(['Status', 'Revision']);
    expect(result.needsAnalysis).toBe(false);
  });

  test('is not hopeless while the analysis of a PDF may fill it', () => {
    const result = plan(rulesOf([usual]), { explicit: { status: 'Issued' } });
    expect(result).toMatchObject({ needsAnalysis: true, hopeless: [] });
  });

  test('is not hopeless while the analysis may make a requirement apply that does without it', () => {
    const letters = requirement('letters', { [TYPE.id]: ['letter'] });
    const strict = requirement('usual', {}, [DISCIPLINE]);
    const given = { explicit: { status: 'Issued', revision: 'A' } };
    expect(plan(rulesOf([strict, letters]), given)).toMatchObject({ needsAnalysis: true, hopeless: [] });
    // Under the default Letter it would not be needed; but the analysis goes before
    // the default, and may say Drawing.
    expect(plan(rulesOf([strict, letters]), { ...given, defaults: { type: 'Letter' } }).hopeless).toEqual([]);
  });

  test('is not hopeless because of a default that the analysis may make idle', () => {
    const drawings = requirement('drawings', { [TYPE.id]: ['drawing'] }, [DISCIPLINE]);
    const result = plan(rulesOf([usual, drawings]), {
      explicit: { status: 'Issued', revision: 'A' },
      defaults: { type: 'Drawing' },
    });
    expect(result).toMatchObject({ needsAnalysis: true, hopeless: [] });
  });

  test('is hopeless when every requirement that may still apply needs it', () => {
    const letters = requirement('letters', { [TYPE.id]: ['letter'] }, [DISCIPLINE]);
    expect(labels(plan(rulesOf([usual, letters]), { explicit: { revision: 'A' } }))).toEqual(['Status']);
  });

  test('is hopeless when people’s own value rules out the requirement that does without it', () => {
    const letters = requirement('letters', { [TYPE.id]: ['letter'] });
    const strict = requirement('usual', {}, [DISCIPLINE]);
    expect(labels(plan(rulesOf([strict, letters]), { explicit: all }))).toEqual(['Discipline']);
  });

  test('is the service’s to fill when nobody may set it', () => {
    const owned = requirement('usual', {}, [field('placed_by', 'string')]);
    expect(plan(rulesOf([owned]), { explicit: all })).toMatchObject({ needsAnalysis: false, hopeless: [] });
  });
});

describe('a naming standard', () => {
  test('computes the name: none is written, and it is not hopeless', () => {
    const result = plan(rulesOf([standard]), {
      explicit: { type: 'Letter', status: 'Issued' },
      mimeType: DWG,
    });
    expect(written(result)).not.toHaveProperty(NAME.id);
    expect(result).toMatchObject({ needsAnalysis: true, hopeless: [] });
  });

  test('leaves what it does not read to people', () => {
    expect(labels(plan(rulesOf([standard]), { mimeType: DWG }))).toEqual(['Type', 'Status']);
  });
});

describe('any project and values', () => {
  const qualifiers = fc.dictionary(fc.constantFrom(TYPE.id, STATUS.id, NUMBER.id), fc.subarray(['a', 'b']), {
    noNullPrototype: true,
  });
  const requirements = fc
    .array(
      fc.tuple(
        qualifiers,
        fc.subarray([DISCIPLINE, NUMBER, TAGS]),
        fc.option(fc.subarray([NUMBER.id, REVISION.id])),
      ),
      { maxLength: 4 },
    )
    .map(list =>
      list.map(([given, additional, scrapedFieldIds], index) =>
        requirement(`r${index}`, given, additional, { scrapedFieldIds }),
      ),
    );
  const values = fc.dictionary(
    fc.constantFrom('type', 'Status', 'revision', 'discipline', 'number', 'tags', 'name', 'description'),
    fc.constantFrom('A', 'B', 'bad', ''),
    { noNullPrototype: true },
  );
  const mimeType = fc.constantFrom('application/pdf', DWG);

  test('each field is written once, people’s values first, and a document that waits for nothing lacks nothing', () => {
    fc.assert(
      fc.property(requirements, values, values, mimeType, (list, explicit, defaults, mime) => {
        const rules = rulesOf(list);
        const result = plan(rules, { explicit, defaults, mimeType: mime });
        const fieldIds = result.now.map(({ fieldId }) => fieldId);
        expect(new Set(fieldIds).size).toBe(fieldIds.length);
        const { writes } = resolveValues(rules, explicit, resolve);
        expect(result.now).toEqual(
          expect.arrayContaining(writes.filter(({ fieldId }) => fieldId !== NAME.id)),
        );
        for (const { id } of result.hopeless) expect(fieldIds).not.toContain(id);
        if (!result.needsAnalysis && result.hopeless.length === 0) {
          const matching = list.filter(one =>
            one.qualifiers.every(({ fieldId, acceptableValueIds }) =>
              acceptableValueIds.some(id => written(result)[fieldId]?.includes(id)),
            ),
          );
          const most = Math.max(...matching.map(one => one.qualifiers.length));
          const required = matching
            .filter(one => one.qualifiers.length === most)
            .flatMap(one => one.required);
          for (const { id } of required) expect([...fieldIds, NAME.id]).toContain(id);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('explainMissing', () => {
  test('names every field', () => {
    const { text, fix } = explainMissing(['Type', 'Status']);
    for (const words of [text, fix]) {
      expect(words).toContain('"Type"');
      expect(words).toContain('"Status"');
    }
  });
});
