import fc from 'fast-check';
import { ingestWorkflowId, taskQueuesOfShare } from '../../workflows/contract';
import { answerInput } from '../../workflows/ingest/answer-contract';
import { ingestBatchInput, ingestFilesInput } from '../../workflows/ingest/ingest-contract';

const batch = { share: 'tender', batchId: '20260131-093000-k3f9a2' };

describe('the input of a batch', () => {
  test.each([
    ['the smallest', batch],
    ['with the manifest’s hash', { ...batch, manifestSha256: '0123456789abcdef'.repeat(4) }],
  ])('%s is taken as it is', (_what, input) => {
    expect(ingestBatchInput.parse(input)).toEqual(input);
  });

  test.each([
    ['no share', { batchId: batch.batchId }],
    ['a share that is a path', { ...batch, share: '../x' }],
    ['a share with a capital', { ...batch, share: 'Tender' }],
    ['a share without end', { ...batch, share: 'a'.repeat(41) }],
    ['a batch id that is a path', { ...batch, batchId: '../../etc/passwd' }],
    ['a batch id with a line end', { ...batch, batchId: `${batch.batchId}\n` }],
    ['a batch id that is too short', { ...batch, batchId: 'abc' }],
    ['a hash in capitals', { ...batch, manifestSha256: 'A'.repeat(64) }],
    ['half a hash', { ...batch, manifestSha256: 'a'.repeat(32) }],
    ['a key nobody reads', { ...batch, force: true }],
    ['a list', [batch]],
  ])('is refused with %s', (_what, input) => {
    expect(ingestBatchInput.safeParse(input).success).toBe(false);
  });

  test('whatever it is, no accepted share or batch id can leave its folder or its line', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9./\\\n -]{1,70}$/));
    fc.assert(
      fc.property(text, text, (share, batchId) => {
        const parsed = ingestBatchInput.safeParse({ share, batchId });
        if (parsed.success) expect(`${share} ${batchId}`).toMatch(/^[a-z0-9-]+ [a-z0-9-]+$/);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the input that names files', () => {
  test.each([
    ['a folder', { share: 'tender', folder: 'Package A' }],
    ['paths, as people name files', { share: 'tender', paths: ['A & B/Plän +1.pdf', '図面.pdf'] }],
  ])('takes %s', (_what, input) => {
    expect(ingestFilesInput.parse(input)).toEqual(input);
  });

  test.each([
    ['neither folder nor paths', { share: 'tender' }],
    ['both', { share: 'tender', folder: 'A', paths: ['a.pdf'] }],
    ['an empty folder name', { share: 'tender', folder: '' }],
    ['no paths in the list', { share: 'tender', paths: [] }],
    ['an empty path', { share: 'tender', paths: ['a.pdf', ''] }],
    ['a path that is no text', { share: 'tender', paths: [7] }],
    ['more paths than a payload holds', { share: 'tender', paths: Array(10_001).fill('a') }],
    ['a path without end', { share: 'tender', paths: ['a'.repeat(1_001)] }],
    ['a key nobody reads', { share: 'tender', folder: 'A', file: 'b' }],
  ])('is refused with %s', (_what, input) => {
    expect(ingestFilesInput.safeParse(input).success).toBe(false);
  });
});

describe('an answer for a held document', () => {
  test.each([
    ['a retry by index', { document: 0, decision: 'retry' }],
    ['setting apart by path', { document: 'A/plan.pdf', decision: 'set-apart' }],
    ['a value as long as a cell can be', { document: 7, values: { Notes: 'x'.repeat(32_767) } }],
    ['values, several for one field', { document: 7, values: { Type: 'Drawing', Tags: ['Late', 'Urgent'] } }],
    [
      'a termination with reason and status',
      { document: 7, decision: 'terminate', reason: 'Superseded', status: 'Void' },
    ],
  ])('may be %s', (_what, answer) => {
    expect(answerInput.parse(answer)).toEqual(answer);
  });

  test.each([
    ['neither decision nor values', { document: 7 }],
    ['no document', { decision: 'retry' }],
    ['a document before the first', { document: -1, decision: 'retry' }],
    ['half a document', { document: 0.5, decision: 'retry' }],
    ['an unknown decision', { document: 7, decision: 'delete' }],
    ['a termination without reason', { document: 7, decision: 'terminate', status: 'Void' }],
    ['a termination without status', { document: 7, decision: 'terminate', reason: 'Superseded' }],
    ['a reason without end', { document: 7, decision: 'terminate', reason: 'x'.repeat(501), status: 'Void' }],
    ['a value that is a number', { document: 7, values: { Count: 3 } }],
    ['a key nobody reads', { document: 7, decision: 'retry', force: true }],
    ['a value without end', { document: 7, values: { Notes: 'x'.repeat(32_768) } }],
    ['a list without end', { document: 7, values: { Tags: new Array<string>(32_768).fill('') } }],
    [
      'more values than a sheet has columns',
      { document: 7, values: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`${at}`, ''])) },
    ],
  ])('is refused with %s', (_what, answer) => {
    expect(answerInput.safeParse(answer).success).toBe(false);
  });
});

describe('ids', () => {
  test('the same batch of the same project is the same workflow; another is another', () => {
    const project = { companyId: '1', projectId: '2' };
    expect(ingestWorkflowId({ ...project }, 'b')).toBe(ingestWorkflowId(project, 'b'));
    expect(ingestWorkflowId(project, 'c')).not.toBe(ingestWorkflowId(project, 'b'));
    expect(ingestWorkflowId({ ...project, projectId: '3' }, 'b')).not.toBe(ingestWorkflowId(project, 'b'));
  });

  test('each share has queues of its own', () => {
    const queues = [...taskQueuesOfShare('a'), ...taskQueuesOfShare('b')];
    expect(new Set(queues).size).toBe(8);
  });
});
