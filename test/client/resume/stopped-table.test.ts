// What people are told to do about what stopped short must never make a second revision.
import type { WithRow } from '../../../activities/share/receipt/set-apart';
import type { PutBack } from '../../../client/resume/put-back';
import { type Account, type DocumentRow, describeAccount } from '../../../client/resume/stopped-table';
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

describe('what came with a register', () => {
  const rowOf = (withRow: WithRow, result?: PutBack): DocumentRow => ({
    document: {
      batchId: '20260131-093000-aaaaaa',
      project: { companyId: '1', projectId: '2' },
      index: 0,
      path: 'A/2.pdf',
      reason: { code: 'storage-refused', text: 'No.', fix: 'Try again.' },
      wasSeen: false,
      sinceIso: '2026-01-31T09:30:00Z',
      jobId: '0'.repeat(20),
      withRow,
      share: undefined as never,
    },
    lookFirst: false,
    result,
  });

  test('and cannot go with its row is told as what stays, in a dry run, too', () => {
    for (const row of [rowOf('later'), rowOf('later', { kind: 'needs-row', withRow: 'later' })]) {
      const dryRun = row.result === undefined;
      const text = textOf({ documents: [row], takeUp: true, dryRun });
      expect(text).toContain('waits for its receipt');
      expect(text).toContain('and so not before its folder has its receipt');
      expect(text).toContain('1 document set apart.');
    }
    expect(textOf({ documents: [rowOf('never')], takeUp: true })).toContain('drop it with its row');
  });

  test('and can is told as what goes', () => {
    expect(textOf({ documents: [rowOf('now')], takeUp: true })).toContain('1 document would be put back.');
    const went = rowOf('later', { kind: 'in-drop' });
    expect(textOf({ documents: [went], takeUp: true, dryRun: false })).toContain('1 document put back.');
  });
});
