import fc from 'fast-check';
import {
  assessUpload,
  isAnalysed,
  type UploadView,
} from '../../../../activities/ingest/decide/assess-upload';
import type { FieldWrite } from '../../../../workflows/ingest/ingest-contract';
import {
  DESCRIPTION,
  DISCIPLINE,
  FIELDS,
  NAME,
  NUMBER,
  REVISION,
  requirement,
  rulesOf,
  STATUS,
  TYPE,
  valuesOf,
} from './fixtures';

function view(
  values: Readonly<Record<string, readonly string[]>>,
  more: Partial<UploadView> = {},
): UploadView {
  return {
    status: 'COMPLETED',
    values: valuesOf(values),
    names: values[NAME.id] ?? [],
    analysis: { ml: 'completed', filenameScraping: 'completed' },
    ...more,
  };
}

const write = (fieldId: string, ...values: string[]): FieldWrite => ({ fieldId, values });
const usual = requirement('usual');
const drawings = requirement('drawings', { [TYPE.id]: ['drawing'] }, [DISCIPLINE]);
const basis = { [NAME.id]: ['a.pdf'], [STATUS.id]: ['issued'], [REVISION.id]: ['A'] };
const full = { ...basis, [TYPE.id]: ['letter'] };

describe('an upload', () => {
  const rules = rulesOf([usual, drawings]);

  test('that has everything needs nothing', () => {
    expect(assessUpload(rules, view(full), [])).toEqual({ fill: [], missing: [] });
  });

  test('is judged by the requirement of what the analysis found, not of what we planned', () => {
    expect(assessUpload(rules, view({ ...full, [TYPE.id]: ['drawing'] }), []).missing).toEqual([DISCIPLINE]);
  });

  test('gets defaults into required fields that are empty or blank', () => {
    const defaults = [write(TYPE.id, 'letter'), write(STATUS.id, 'draft')];
    expect(assessUpload(rules, view({ ...basis, [STATUS.id]: [' '] }), defaults)).toEqual({
      fill: defaults,
      missing: [],
    });
  });

  test('keeps what people or the analysis set', () => {
    const defaults = [write(TYPE.id, 'drawing'), write(STATUS.id, 'draft'), write(DISCIPLINE.id, 'a')];
    expect(assessUpload(rules, view(full), defaults).fill).toEqual([write(DISCIPLINE.id, 'a')]);
  });

  test('gets the fields that a default makes required, by their own default or by asking', () => {
    const type = write(TYPE.id, 'drawing');
    expect(assessUpload(rules, view(basis), [type])).toEqual({ fill: [type], missing: [DISCIPLINE] });
    const discipline = write(DISCIPLINE.id, 'a');
    const both = assessUpload(rules, view(basis), [type, discipline]);
    expect(both.missing).toEqual([]);
    expect(both.fill).toHaveLength(2);
  });

  test('is judged by optional defaults too: they can make a stricter requirement apply', () => {
    const lenient = requirement('lenient', {}, [], { required: [] });
    const result = assessUpload(rulesOf([lenient, drawings]), view(basis), [write(TYPE.id, 'drawing')]);
    expect(result).toEqual({ fill: [write(TYPE.id, 'drawing')], missing: [DISCIPLINE] });
  });

  test('does not get a default that says nothing, and the assessment ends all the same', () => {
    for (const blank of [write(TYPE.id), write(TYPE.id, ''), write(TYPE.id, ' ', '\t')]) {
      expect(assessUpload(rules, view(basis), [blank])).toEqual({ fill: [], missing: [TYPE] });
    }
  });

  describe('and its name', () => {
    const wish = (isFirm: boolean) => ({ text: 'A-1', isFirm });
    const called = (name: string | undefined, nameSource: string | null) =>
      view({ ...full, [NAME.id]: name === undefined ? [] : [name] }, { nameSource });

    test.each([false, true])('gets one where it is required and there is none (firm: %j)', isFirm => {
      expect(assessUpload(rules, called(undefined, 'NONE'), [], wish(isFirm))).toEqual({
        fill: [write(NAME.id, 'A-1')],
        missing: [],
      });
    });

    test('lacks one where nobody wishes for it', () => {
      expect(assessUpload(rules, called(undefined, null), [])).toEqual({ fill: [], missing: [NAME] });
    });

    test.each([
      ['SYSTEM', true, [write(NAME.id, 'A-1')]],
      ['FILENAME_SCRAPING', true, [write(NAME.id, 'A-1')]],
      [null, true, [write(NAME.id, 'A-1')]],
      ['MANUAL', true, []],
      ['SYSTEM', false, []],
    ] as const)('of the source %j, wished for firmly: %j', (source, isFirm, renamed) => {
      const { fill, rename } = assessUpload(rules, called('a.pdf', source), [], wish(isFirm));
      expect(fill).toEqual([]);
      expect(rename === undefined ? [] : [rename]).toEqual(renamed);
    });

    test('is not written again', () => {
      expect(assessUpload(rules, called('A-1', null), [], wish(true)).rename).toBeUndefined();
    });
  });

  test('never gets a name from the share’s defaults', () => {
    expect(assessUpload(rules, view({ ...full, [NAME.id]: [] }), [write(NAME.id, 'Document')]).fill).toEqual(
      [],
    );
  });

  test('is not asked for a value that nobody may set', () => {
    const withoutStatus = FIELDS.filter(({ id }) => id !== STATUS.id);
    const result = assessUpload(rulesOf([usual], withoutStatus), view({ ...full, [STATUS.id]: [] }), []);
    expect(result.missing).toEqual([]);
  });

  test('once filled needs nothing more to be filled, and lacks only what was said to be missing', () => {
    const ids = FIELDS.map(({ id }) => id);
    const some = fc.dictionary(
      fc.constantFrom(...ids),
      fc.array(fc.constantFrom('a', 'b', '', ' '), { maxLength: 2 }),
      {
        noNullPrototype: true,
      },
    );
    const requirements = fc.array(
      fc
        .tuple(
          fc.dictionary(fc.constantFrom(TYPE.id, STATUS.id, NUMBER.id), fc.subarray(['a', 'b']), {
            noNullPrototype: true,
          }),
          fc.subarray([DISCIPLINE, NUMBER, DESCRIPTION]),
        )
        .map(([qualifiers, additional]) => requirement('r', qualifiers, additional)),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(requirements, some, some, (list, values, defaultValues) => {
        const wish = { text: 'a.pdf', isFirm: true };
        const rulesOfList = rulesOf(list);
        const defaults = Object.entries(defaultValues).map(([id, given]) => write(id, ...given));
        const before = view(values);
        const { fill, missing } = assessUpload(rulesOfList, before, defaults, wish);
        for (const { fieldId } of fill) expect((values[fieldId] ?? []).join('').trim()).toBe('');
        expect(new Set(fill.map(({ fieldId }) => fieldId)).size).toBe(fill.length);
        const filled = { ...values, ...Object.fromEntries(fill.map(one => [one.fieldId, one.values])) };
        expect(assessUpload(rulesOfList, view(filled, { nameSource: 'MANUAL' }), defaults, wish)).toEqual({
          fill: [],
          missing,
        });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the analysis is over', () => {
  test.each([
    ['in_progress', 'completed', false],
    ['completed', 'in_progress', false],
    ['completed', 'completed', true],
    ['error', 'completed', true],
    ['not_applicable', 'error', true],
    [null, null, true],
    // The specification has two words for the end, and a list of others that is not shown.
    ['other', null, false],
    ['completed', 'other', false],
    [null, 'not_applicable', true],
  ])('ml %j and file-name scraping %j: %j', (ml, filenameScraping, expected) => {
    expect(isAnalysed(view({}, { analysis: { ml, filenameScraping } }))).toBe(expected);
  });
});
