import type { JobRecord } from '../../../activities/share/jobs/job-record';
import type { BegunWith } from '../../../activities/share/register/begun-with';
import { PortionJobs } from '../../../client/watch/portion-jobs';

const files = () => ({ top: 'A', portion: { places: new Map<string, number>() }, entries: [] });

function setUp(registers: readonly (BegunWith | undefined)[]) {
  const asked = [...registers];
  let opened = 0;
  const jobs = new PortionJobs({
    readRegister: async () => asked.shift(),
    openJob: async folder => {
      opened += 1;
      return { name: folder, jobId: String(opened) } as JobRecord;
    },
  });
  return { jobs, left: asked, opened: () => opened };
}

test('the register of what goes together is read once, and again for what comes after it', async () => {
  const { jobs, left, opened } = setUp([{}, {}, {}]);
  const portion = files();
  const job = await jobs.jobOf(portion);
  expect(await jobs.jobOf(portion)).toBe(job);
  expect(left).toHaveLength(2);
  expect((await jobs.jobOf(files()))?.jobId).toBe('2');
  expect(opened()).toBe(2);
});

test('a job that takes nothing more, or whose folder is empty, is asked for anew', async () => {
  const { jobs, opened } = setUp([{}, {}, {}]);
  const portion = files();
  await jobs.jobOf(portion);
  jobs.forget('A');
  await jobs.jobOf(portion);
  jobs.keepOnly(() => false);
  await jobs.jobOf(portion);
  expect(opened()).toBe(3);
});

test('there is none for files whose register cannot be read just now, however many batches they are', async () => {
  const { jobs, left, opened } = setUp([undefined, {}]);
  const portion = files();
  expect(await jobs.jobOf(portion)).toBeUndefined();
  expect(await jobs.jobOf(portion)).toBeUndefined();
  expect([left.length, opened()]).toEqual([1, 0]);
  expect(await jobs.jobOf(files())).toBeDefined();
});
