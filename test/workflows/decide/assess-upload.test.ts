import fc from 'fast-check';
import {
  assessUpload,
  isAnalysed,
  isNameRight,
  type UploadView,
} from '../../../workflows/decide/assess-upload';
import type { FieldWrite } from '../../../workflows/decide/plan-document';
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

  it('that has everything needs nothing', () => {
    expect(assessUpload(rules, view(full), [])).toEqual({ fill: [], missing: [] });
  });

  it('is judged by the requirement of what the analysis found, not of what we planned', () => {
    expect(assessUpload(rules, view({ ...full, [TYPE.id]: ['drawing'] }), []).missing).toEqual([DISCIPLINE]);
  });

  it('gets defaults into required fields that are empty or blank', () => {
    const defaults = [write(TYPE.id, 'letter'), write(STATUS.id, 'draft')];
    expect(assessUpload(rules, view({ ...basis, [STATUS.id]: [' '] }), defaults)).toEqual({
      fill: defaults,
      missing: [],
    });
  });

  it('keeps what people or the analysis set', () => {
    const defaults = [write(TYPE.id, 'drawing'), write(STATUS.id, 'draft'), write(DISCIPLINE.id, 'a')];
    expect(assessUpload(rules, view(full), defaults).fill).toEqual([write(DISCIPLINE.id, 'a')]);
  });

  it('gets the fields that a default makes required, by their own default or by asking', () => {
    const type = write(TYPE.id, 'drawing');
    expect(assessUpload(rules, view(basis), [type])).toEqual({ fill: [type], missing: [DISCIPLINE] });
    const discipline = write(DISCIPLINE.id, 'a');
    const both = assessUpload(rules, view(basis), [type, discipline]);
    expect(both.missing).toEqual([]);
    expect(both.fill).toHaveLength(2);
  });

  it('is judged by optional defaults too: they can make a stricter requirement apply', () => {
    const lenient = requirement('lenient', {}, [], { required: [] });
    const result = assessUpload(rulesOf([lenient, drawings]), view(basis), [write(TYPE.id, 'drawing')]);
    expect(result).toEqual({ fill: [write(TYPE.id, 'drawing')], missing: [DISCIPLINE] });
  });

  it('does not get a default that says nothing, and the assessment ends all the same', () => {
    for (const blank of [write(TYPE.id), write(TYPE.id, ''), write(TYPE.id, ' ', '\t')]) {
      expect(assessUpload(rules, view(basis), [blank])).toEqual({ fill: [], missing: [TYPE] });
    }
  });

  it('gets the file’s name where a name is required and neither we nor the naming standard gave one', () => {
    const unnamed = { ...full, [NAME.id]: [] };
    expect(assessUpload(rules, view(unnamed), [], 'a.pdf')).toEqual({
      fill: [write(NAME.id, 'a.pdf')],
      missing: [],
    });
    expect(assessUpload(rules, view(unnamed), [])).toEqual({ fill: [], missing: [NAME] });
    expect(assessUpload(rules, view({ ...full, [NAME.id]: ['X-1'] }), [], 'a.pdf').fill).toEqual([]);
  });

  it('never gets a name from the share’s defaults', () => {
    expect(assessUpload(rules, view({ ...full, [NAME.id]: [] }), [write(NAME.id, 'Document')]).fill).toEqual(
      [],
    );
  });

  it('is not asked for a value that nobody may set', () => {
    const withoutStatus = FIELDS.filter(({ id }) => id !== STATUS.id);
    const result = assessUpload(rulesOf([usual], withoutStatus), view({ ...full, [STATUS.id]: [] }), []);
    expect(result.missing).toEqual([]);
  });

  it('once filled needs nothing more to be filled, and lacks only what was said to be missing', () => {
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
        const rulesOfList = rulesOf(list);
        const defaults = Object.entries(defaultValues).map(([id, given]) => write(id, ...given));
        const before = view(values);
        const { fill, missing } = assessUpload(rulesOfList, before, defaults, 'a.pdf');
        for (const { fieldId } of fill) expect((values[fieldId] ?? []).join('').trim()).toBe('');
        expect(new Set(fill.map(({ fieldId }) => fieldId)).size).toBe(fill.length);
        const filled = { ...values, ...Object.fromEntries(fill.map(one => [one.fieldId, one.values])) };
        expect(assessUpload(rulesOfList, view(filled), defaults, 'a.pdf')).toEqual({ fill: [], missing });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the analysis is over', () => {
  it.each([
    ['in_progress', 'completed', false],
    ['completed', 'in_progress', false],
    ['completed', 'completed', true],
    ['error', 'completed', true],
    ['not_applicable', 'error', true],
    [null, null, true],
    ['a status of tomorrow', null, true],
  ])('ml %j and file-name scraping %j: %j', (ml, filenameScraping, expected) => {
    expect(isAnalysed(view({}, { analysis: { ml, filenameScraping } }))).toBe(expected);
  });
});

describe('the name of an upload', () => {
  const batch = new Set([
    'plan.pdf',
    'plan.dwg',
    'E\u0301tage.pdf',
    'notes',
    'notes.txt',
    'v1.2.pdf',
    'v1.3.pdf',
  ]);
  const named = (name: string) => view({ [NAME.id]: [name] });

  it.each([
    ['its file’s name', 'plan.pdf', 'plan.pdf', true, true],
    ['its file’s name without the extension', 'plan', 'plan.pdf', true, true],
    ['its stem, which another file of the batch shares', 'plan', 'plan.dwg', true, true],
    ['the name of a file that differs only in the extension', 'plan.dwg', 'plan.pdf', false, false],
    ['its file’s name in another Unicode form', '\u00c9tage.pdf', 'E\u0301tage.pdf', true, true],
    ['the stem in another Unicode form', '\u00c9tage', 'E\u0301tage.pdf', true, true],
    ['the name of a file without extension that is its own stem', 'notes', 'notes.txt', false, false],
    ['its own name without extension', 'notes', 'notes', true, true],
    ['its own stem with another’s extension', 'notes.txt', 'notes', false, false],
    ['only the last dot begins an extension', 'v1.2', 'v1.2.pdf', true, true],
    ['the stem of another file', 'v1.3', 'v1.2.pdf', false, false],
    ['a name that no file of the batch has', 'X-0001', 'plan.pdf', false, true],
    ['another case', 'PLAN.PDF', 'plan.pdf', false, true],
  ])('%s', (_claim, stored, fileName, isRight, isRightIfComputed) => {
    expect(isNameRight(named(stored), fileName, batch, false)).toBe(isRight);
    expect(isNameRight(named(stored), fileName, batch, true)).toBe(isRightIfComputed);
  });

  it('may be absent only where the service computes it', () => {
    expect(isNameRight(view({}), 'plan.pdf', batch, true)).toBe(true);
    expect(isNameRight(view({}), 'plan.pdf', batch, false)).toBe(false);
  });

  it('may be that of a file of the same name in another folder, or of the other Unicode form', () => {
    expect(isNameRight(named('plan.pdf'), 'plan.pdf', new Set(['plan.pdf']), false)).toBe(true);
    expect(
      isNameRight(named('\u00e9.pdf'), 'e\u0301.pdf', new Set(['\u00e9.pdf', 'e\u0301.pdf']), false),
    ).toBe(true);
  });

  it('with a leading dot has no extension to lose', () => {
    expect(isNameRight(named(''), '.pdf', new Set(), false)).toBe(false);
    expect(isNameRight(named('.pdf'), '.pdf', new Set(), false)).toBe(true);
  });

  it('is always right when stored as sent, and never when it is another file’s', () => {
    const name = fc.stringMatching(/^[aé.+& ]{1,6}$/);
    fc.assert(
      fc.property(name, name, fc.boolean(), (own, other, isComputed) => {
        expect(isNameRight(named(own), own, new Set([own, other]), isComputed)).toBe(true);
        if (own !== other)
          expect(isNameRight(named(other), own, new Set([own, other]), isComputed)).toBe(false);
      }),
    );
  });
});
