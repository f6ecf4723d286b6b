// What people are told to do about what stopped short must never make a second revision.
import { type Account, describeAccount } from '../../../client/resume/stopped-table';
import { createPaint } from '../../../client/session/terminal-text';

const NOTHING: Account = {
  batches: [],
  documents: [],
  unreadable: [],
  unseen: [],
  watchTaken: [],
  dryRun: true,
  takeUp: false,
  isFiltered: false,
};

const textOf = (account: Partial<Account>) =>
  describeAccount(
    { ...NOTHING, ...account },
    {
      paint: createPaint({ isTTY: false } as NodeJS.WriteStream),
      width: 80,
      command: 'drawbridge',
      nowMs: 0,
    },
  );

test('what to do about batches of another key stands below the table, in full and once', () => {
  const rowOf = (batchId: string) => ({
    batch: {
      batchId,
      workflowId: `ingest/2/${batchId}`,
      projectId: '2',
      state: 'damaged' as const,
      reason: { code: 'key-differs', text: `Batch ${batchId} has ${'a very '.repeat(20)}long reason.` },
    },
    plan: { kind: 'none' as const, hint: 'needs a person' },
  });
  const text = textOf({ batches: [rowOf('20260131-093000-aaaaaa'), rowOf('20260131-093000-aaaaab')] });
  expect(text.match(/very long reason\./g)).toHaveLength(1);
});

test('of files whose receipt cannot be read nobody is told to drop them again without a look', () => {
  const why = 'The receipt of batch 20260131-093000-aaaaaa was sealed with another key.';
  const text = textOf({ unreadable: [{ share: 'tender', batchId: '20260131-093000-aaaaaa', why }] });
  expect(text).toContain(`${why} So nobody can tell which of its files have a revision`);
  expect(text).toContain('drop again by hand only what is not there');
});

test('that no more than so many runs were looked at is said', () => {
  expect(textOf({ limitedTo: 10_000 })).toContain('No more than the newest 10,000 unfinished runs');
  expect(textOf({})).not.toContain('No more than');
});

test('where filters were given, nothing is said of what they leave out', () => {
  expect(textOf({})).toBe('Nothing stopped short.');
  expect(textOf({ isFiltered: true })).toBe('Nothing that fits stopped short.');
});
