// Held documents as the receipts so far tell them: with the question that their run would ask.
import type { ConsoleShare } from '../../../../client/console/serve/module';
import { listHeldOnShare } from '../../../../client/console/waiting/held-on-share';

async function questionOf(code: string) {
  const row = { outcome: 'held', index: 0, path: 'A/1.pdf', reason: { code, text: 'Why.', fix: 'How.' } };
  const [batch] = await listHeldOnShare({
    config: { name: 'tender', project: { companyId: '1', projectId: '2' }, policy: { holdMs: 1_000 } },
    share: {
      lookAtWork: () => Promise.resolve({ batches: new Map([['b', {}]]) }),
      readDocuments: () => Promise.resolve({ rows: [row] }),
    },
  } as unknown as ConsoleShare);
  return batch?.held[0]?.question;
}

test.each([
  ['later-there', 'duplicate'],
  ['same-bytes-in-job', 'duplicate'],
  ['perhaps-submitted', 'duplicate'],
  ['overtaken', 'overtaken'],
  ['WORKFLOW_CONFLICT_INSUFFICIENT_PERMISSION', 'workflow-conflict'],
  ['missing-values', 'missing-values'],
  ['unknown-value', 'missing-values'],
])('of a document that is held as %s the question is %s', async (code, question) => {
  expect(await questionOf(code)).toBe(question);
});
