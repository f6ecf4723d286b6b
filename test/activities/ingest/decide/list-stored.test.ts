import { listStored } from '../../../../activities/ingest/decide/list-stored';
import { wasSeen } from '../../../../activities/share/batch/kept-receipt';
import { isCertainlyWithoutRevision } from '../../../../activities/share/receipt/corrected/set-apart-safety';
import { NAME, requirement, rulesOf, TYPE } from './fixtures';

const WISH = { text: 'a.pdf', isFirm: false } as never;

function list(values: Readonly<Record<string, readonly string[]>>) {
  const rules = rulesOf([{ ...requirement('usual'), required: [TYPE] }]);
  const fields = [TYPE, NAME].map(({ id, name, label }) => ({
    id,
    name,
    label,
    labelSource: null,
    type: 'string' as const,
    confidenceScore: null,
    values: (values[id] ?? []).map(text => ({ id: null, code: null, label: text })),
  }));
  const view = { status: 'COMPLETED', values: new Map(), names: values[NAME.id] ?? [], analysis: {} };
  return listStored(rules, { fields } as never, view as never, new Map(), [], WISH);
}

test('what is required is told as it stands in the service', () => {
  expect(list({ [TYPE.id]: ['Drawing'], [NAME.id]: ['A-101'] })).toEqual([
    { label: TYPE.label, value: 'Drawing', from: 'service' },
  ]);
});

test.each([
  ['its name', { [NAME.id]: ['A-101'] }, 'A-101'],
  ['that its name is empty', {}, ''],
])(
  'of an upload that has nothing else to tell, %s is: people could see it, and submit it',
  (_, values, value) => {
    const stored = list(values);
    expect(stored).toEqual([{ label: NAME.label, value, from: 'service' }]);
    const reason = { code: 'missing-values', text: '', fix: '' };
    const seen = wasSeen({ stored: [...stored] });
    expect(isCertainlyWithoutRevision({ reason, wasSeen: seen })).toBe(false);
  },
);
