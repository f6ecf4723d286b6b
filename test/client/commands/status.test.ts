// What `status` says of documents that wait for an earlier revision: that they do, and
// that nobody has to do anything.

import { describeBatches } from '../../../client/commands/status';
import { type BatchStatus, countOpenDocuments } from '../../../client/status/batch-status';

test('what the service and people call things reaches neither the terminal nor a copied command as it is', () => {
  const now = new Date('2026-01-31T10:00:00Z');
  const evil = '\u001b]52;c;b3duZWQ=\u0007$(touch /tmp/owned)`id`"\u202e';
  const reason = { code: evil, text: evil, fix: evil };
  const held = { index: 0, path: evil, reason, sinceMs: 0, untilMs: now.getTime() };
  const batch: BatchStatus = {
    workflowId: `ingest/7001/${evil}`,
    batchId: evil,
    share: evil,
    status: 'RUNNING',
    startedAt: now,
    progress: {
      batchId: evil,
      share: evil,
      documents: 1,
      stages: { held: 1 },
      held: [{ ...held, question: 'missing-values', missing: [evil, "it's"] }],
      blocked: { reason, sinceMs: 0 },
    },
  };
  const other = { ...batch, batchId: 'b' };
  for (const text of [
    describeBatches([batch], 'drawbridge', now),
    describeBatches([batch, other], 'drawbridge', now),
  ]) {
    expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    const commands = [...text.matchAll(/drawbridge (?:answer|resume) .*/g)].map(([command]) => command);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) {
      // As a shell reads it: what is in single quotes is text.
      const outside = command.replaceAll("'\\''", '').replaceAll(/'[^']*'/g, '');
      expect(outside).not.toMatch(/[$`"';&|<>()]/);
    }
  }
});

test('a document in line is shown with what it waits for, and nobody is asked for anything', () => {
  const now = new Date('2026-01-31T10:00:00Z');
  const batch: BatchStatus = {
    workflowId: 'ingest/7001/20260131-093000-k3f9a2',
    batchId: '20260131-093000-k3f9a2',
    share: 'tender',
    status: 'RUNNING',
    startedAt: new Date('2026-01-31T09:30:00Z'),
    progress: {
      batchId: '20260131-093000-k3f9a2',
      share: 'tender',
      documents: 2,
      stages: { 'in-line': 1, submitted: 1 },
      held: [],
      inLine: [
        {
          index: 0,
          path: 'A-1_B.pdf',
          reason: { code: 'earlier-revision', text: 'Waits for revision A.', fix: 'It goes on by itself.' },
          sinceMs: now.getTime(),
        },
      ],
    },
  };
  const text = describeBatches([batch], 'drawbridge', now);
  expect(text).toContain('2: 1 in-line, 1 submitted');
  expect(text).toContain('Waiting for an earlier revision:\n  20260131-093000-k3f9a2  A-1_B.pdf: Waits for');
  expect(text).not.toContain('Waiting for a person');
});

test('a document that was answered is told with who answered, and asked of nobody', () => {
  const answer = {
    by: 'Maria Keller',
    atMs: Date.UTC(2026, 0, 31, 9, 30),
    sinceMs: 1,
    question: 'x',
    said: 'try again',
  };
  const batch = {
    workflowId: 'ingest/2/one',
    batchId: 'one',
    status: 'RUNNING',
    startedAt: new Date(0),
    progress: {
      batchId: 'one',
      share: 'tender',
      documents: 2,
      stages: { submitting: 1, answered: 1 },
      held: [],
      answered: [
        { index: 0, path: 'a.pdf', answer },
        { index: 1, path: 'b.pdf' },
      ],
    },
  };
  const text = describeBatches([batch], 'drawbridge', new Date(60_000));
  expect(text).not.toContain('Waiting for a person');
  expect(text).toContain(
    'a.pdf: Answered by Maria Keller on 2026-01-31 at 09:30 UTC: try again. It is on its way; nobody need answer it again.',
  );
  expect(text).toContain('b.pdf: An answer has come and is being checked.');
});

test('what is there already is no open document, and is told when a batch has ended', () => {
  const batch: BatchStatus = {
    workflowId: 'ingest/7001/20260131-093000-k3f9a2',
    batchId: '20260131-093000-k3f9a2',
    share: 'tender',
    status: 'COMPLETED',
    startedAt: new Date('2026-01-31T09:30:00Z'),
    summary: { batchId: '20260131-093000-k3f9a2', submitted: 1, setApart: 0, skipped: 2, receipts: [] },
  };
  expect(describeBatches([batch], 'drawbridge', new Date('2026-01-31T10:00:00Z'))).toContain(
    '3: 1 submitted, 2 skipped',
  );
  const progress: BatchStatus['progress'] = {
    batchId: batch.batchId,
    share: 'tender',
    documents: 4,
    stages: { skipped: 2, submitted: 1, held: 1 },
    held: [],
  };
  expect(countOpenDocuments({ ...batch, status: 'RUNNING', progress })).toBe(1);
});
