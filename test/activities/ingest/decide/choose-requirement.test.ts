import fc from 'fast-check';
import {
  chooseRequirement,
  hasValue,
  listMissing,
  listOvertaking,
} from '../../../../activities/ingest/decide/choose-requirement';
import {
  DISCIPLINE,
  FIELDS,
  field,
  NUMBER,
  requirement,
  rulesOf,
  STATUS,
  TAGS,
  TYPE,
  valuesOf,
} from './fixtures';

const usual = requirement('usual');
const drawings = requirement('drawings', { [TYPE.id]: ['drawing', 'sketch'] }, [DISCIPLINE]);
const issued = requirement('issued drawings', { [TYPE.id]: ['drawing'], [STATUS.id]: ['issued'] }, [NUMBER]);

describe('the choice of the requirement', () => {
  const rules = rulesOf([drawings, usual, issued]);

  test.each([
    ['the default applies when no conditional one matches', { [TYPE.id]: ['letter'] }, ['usual']],
    ['the default applies to a document without any value', {}, ['usual']],
    ['a conditional one goes before the default', { [TYPE.id]: ['sketch'] }, ['drawings']],
    ['the most qualifiers win', { [TYPE.id]: ['drawing'], [STATUS.id]: ['issued'] }, ['issued drawings']],
    ['all qualifiers must match', { [TYPE.id]: ['drawing'], [STATUS.id]: ['draft'] }, ['drawings']],
    ['the value of another field does not match', { [STATUS.id]: ['drawing'] }, ['usual']],
  ])('%s', (_claim, values, expected) => {
    expect(chooseRequirement(rules, valuesOf(values)).chosen.map(({ id }) => id)).toEqual(expected);
  });

  test('one of several values of a multi-select is enough for a qualifier', () => {
    const tagged = requirement('tagged', { [TAGS.id]: ['urgent'] });
    const chosen = chooseRequirement(rulesOf([usual, tagged]), valuesOf({ [TAGS.id]: ['late', 'urgent'] }));
    expect(chosen.chosen).toEqual([tagged]);
  });

  test('a tie requires the fields of all that tie, each once', () => {
    const first = requirement('first', { [TYPE.id]: ['drawing'] }, [DISCIPLINE]);
    const second = requirement('second', { [STATUS.id]: ['issued'] }, [NUMBER, DISCIPLINE]);
    const { chosen, required } = chooseRequirement(
      rulesOf([usual, first, second]),
      valuesOf({ [TYPE.id]: ['drawing'], [STATUS.id]: ['issued'] }),
    );
    expect(chosen).toEqual([first, second]);
    expect(required.map(({ name }) => name)).toEqual([
      'name',
      'type',
      'status',
      'revision',
      'discipline',
      'number',
    ]);
  });

  test('without a default and without a match, nothing is required', () => {
    expect(chooseRequirement(rulesOf([drawings]), valuesOf({}))).toEqual({ chosen: [], required: [] });
  });

  test('a qualifier without acceptable values matches nothing', () => {
    const impossible = requirement('impossible', { [TYPE.id]: [] });
    expect(chooseRequirement(rulesOf([usual, impossible]), valuesOf({ [TYPE.id]: ['x'] })).chosen).toEqual([
      usual,
    ]);
  });

  test('a required field that nobody may set is not asked for', () => {
    const readonly = field('placed_by', 'string');
    const { required } = chooseRequirement(
      rulesOf([requirement('usual', {}, [readonly, NUMBER])]),
      valuesOf({}),
    );
    expect(required).toContainEqual(NUMBER);
    expect(required).not.toContainEqual(readonly);
  });
});

describe('any rules and values', () => {
  const fieldIds = [TYPE.id, STATUS.id, TAGS.id];
  const qualifiers = fc.dictionary(fc.constantFrom(...fieldIds), fc.subarray(['a', 'b', 'c']), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  const requirements = fc
    .array(fc.tuple(qualifiers, fc.subarray(FIELDS)), { maxLength: 6 })
    .map(list => list.map(([given, additional], index) => requirement(`r${index}`, given, additional)));
  const values = fc
    .dictionary(fc.constantFrom(...fieldIds), fc.subarray(['a', 'b', 'c', 'd']), { noNullPrototype: true })
    .map(valuesOf);

  test('what is chosen matches, has the most qualifiers of all that match, and all its fields are required', () => {
    fc.assert(
      fc.property(requirements, values, (list, given) => {
        const { chosen, required } = chooseRequirement(rulesOf(list), given);
        const matching = list.filter(({ qualifiers }) =>
          qualifiers.every(({ fieldId, acceptableValueIds }) =>
            acceptableValueIds.some(id => given.get(fieldId)?.includes(id)),
          ),
        );
        const counts = matching.map(({ qualifiers }) => qualifiers.length);
        expect(chosen).toEqual(matching.filter(one => one.qualifiers.length === Math.max(...counts)));
        expect(new Set(required)).toEqual(new Set(chosen.flatMap(one => one.required)));
        expect(new Set(required).size).toBe(required.length);
      }),
    );
  });

  test('the order in which the service lists requirements does not change what is required', () => {
    fc.assert(
      fc.property(requirements, values, (list, given) => {
        const names = (rules: readonly (typeof list)[number][]): string[] =>
          chooseRequirement(rulesOf(rules), given)
            .required.map(({ id }) => id)
            .sort();
        expect(names([...list].reverse())).toEqual(names(list));
      }),
    );
  });

  test('whatever the open fields become, the choice is the present one or one that may overtake it', () => {
    const open = new Set([TYPE.id, STATUS.id]);
    fc.assert(
      fc.property(requirements, values, values, (list, now, later) => {
        const rules = rulesOf(list);
        const then = new Map(now);
        for (const id of open) {
          const value = later.get(id);
          if (!hasValue(now, id) && value !== undefined) then.set(id, value);
        }
        const before = chooseRequirement(rules, now).chosen;
        const possible = new Set([...before, ...listOvertaking(rules, now, open)]);
        const after = chooseRequirement(rules, then).chosen;
        if (after.length > 0) expect(after.some(one => possible.has(one))).toBe(true);
      }),
    );
  });
});

describe('missing values', () => {
  test('blank values are no values', () => {
    const applicable = { chosen: [], required: [TYPE, STATUS, TAGS] };
    const values = valuesOf({ [TYPE.id]: ['drawing'], [STATUS.id]: [' \t'], [TAGS.id]: [] });
    expect(listMissing(applicable, values)).toEqual([STATUS, TAGS]);
  });
});
