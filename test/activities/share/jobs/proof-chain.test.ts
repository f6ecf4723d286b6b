// The chain of proofs on a share, when several add to it at one moment.
import { createHash } from 'node:crypto';
import type { ProofPlace } from '../../../../activities/share/jobs/proof-chain';
import type { JobPapers } from '../../../../activities/share/receipt/job-papers';
import { createTestBed, type TestBed } from '../share-test-bed';

let bed: TestBed;

beforeEach(async () => {
  bed = await createTestBed();
});

afterEach(async () => {
  await bed.remove();
});

const papersOf = (jobId: string) =>
  ({ project: bed.config.project, record: { jobId } }) as unknown as JobPapers;
const stateOf = (jobId: string) => (place: ProofPlace) =>
  createHash('sha256').update(`${jobId} ${place.number} ${place.before}`).digest('hex');

test('each proof has a place of its own, after the one before it, whoever adds it', async () => {
  const shares = await Promise.all([1, 2, 3].map(() => bed.open()));
  const jobs = ['a', 'b', 'c', 'd', 'a'];
  const places = await Promise.all(
    jobs.map((job, at) => shares[at % shares.length]!.linkProof(papersOf(job), stateOf(job))),
  );
  const ofJobs = new Map(jobs.map((job, at) => [job, places[at]!]));
  const inOrder = [...ofJobs].sort(([, one], [, other]) => one.number - other.number);
  let before: string | null = null;
  for (const [job, place] of inOrder) {
    expect(place.before).toBe(before);
    before = stateOf(job)(place);
  }
  const again = await shares[0]!.linkProof(papersOf('c'), stateOf('c'));
  expect(again.number).toBe(ofJobs.get('c')?.number);
});
