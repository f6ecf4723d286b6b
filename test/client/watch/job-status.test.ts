import { JobStatus } from '../../../client/watch/job-status';

test('one round at a time, with a rest between, and trouble ends nothing', async () => {
  let nowMs = 0;
  let end: (error?: Error) => void = () => undefined;
  const writeStatus = jest.fn(
    () =>
      new Promise<void>((resolve, reject) => {
        end = error => (error === undefined ? resolve() : reject(error));
      }),
  );
  const status = new JobStatus({ share: { writeStatus }, inLine: () => 0, nowMs: () => nowMs });
  status.look();
  status.look();
  expect(writeStatus).toHaveBeenCalledTimes(1);
  nowMs = 1_000;
  end(new Error('away'));
  await new Promise(setImmediate);
  // It took a second: ten of them are its rest.
  nowMs = 10_999;
  status.look();
  expect(writeStatus).toHaveBeenCalledTimes(1);
  nowMs = 11_000;
  status.look();
  expect(writeStatus).toHaveBeenCalledTimes(2);
  end();
  await status.end();
  nowMs = 1_000_000;
  status.look();
  expect(writeStatus).toHaveBeenCalledTimes(2);
});
