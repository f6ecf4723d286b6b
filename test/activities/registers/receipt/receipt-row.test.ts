import { type DocumentResult, toAddedRow } from '../../../../activities/registers/receipt/receipt-row';

const through: DocumentResult = {
  outcome: 'through',
  revision: 'R1',
  uploadId: 'U1',
  notes: ['one'],
  sizeBytes: 12,
  sha256: 'ab',
  submittedAt: '2026-04-03T09:30:00.000Z',
};

describe('toAddedRow', () => {
  test('has what a person looks for in front, and what is looked up behind', () => {
    const values = [
      { label: 'Status', value: 'A4', from: 'register' },
      { label: 'Type', value: 'Drawing' },
    ];
    expect(toAddedRow({ ...through, values }, 'job row 5', 'Europe/Berlin')).toEqual({
      tone: 'well',
      front: ['Through', '', '', 'R1'],
      back: [
        'job row 5',
        'Status: A4 (register); Type: Drawing',
        '2026-04-03 11:30 +02:00',
        'U1',
        '12',
        'ab',
        'one',
      ],
    });
  });

  test('a revision whose id was lost is not told', () => {
    const { revision: _lost, ...lost } = through;
    expect(toAddedRow(lost, 'm', 'UTC').front).toEqual(['Through', '', '', 'not told']);
  });

  test('says why and what to do, and leaves empty what there is not', () => {
    const row = toAddedRow(
      { outcome: 'held', reason: 'Status is missing.', whatToDo: 'Give one.' },
      'm',
      'UTC',
    );
    expect(row.front).toEqual(['Held', 'Status is missing.', 'Give one.', '']);
    expect(row.back).toEqual(['m', '', '', '', '', '', '']);
    expect(row.tone).toBe('waits');
  });
});
