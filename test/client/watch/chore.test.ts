import { ShareError } from '../../../activities/share/files/share-error';
import { Chore } from '../../../client/watch/chore';
import { fsError } from '../../activities/share/faulty-fs';

test('one round at a time, with a rest between, and trouble ends nothing', async () => {
  let nowMs = 0;
  let end: (error?: Error) => void = () => undefined;
  const work = jest.fn(
    () =>
      new Promise<void>((resolve, reject) => {
        end = error => (error === undefined ? resolve() : reject(error));
      }),
  );
  const chore = new Chore({ work, nowMs: () => nowMs });
  chore.look();
  chore.look();
  expect(work).toHaveBeenCalledTimes(1);
  nowMs = 1_000;
  end(new Error('away'));
  await new Promise(setImmediate);
  // It took a second: ten of them are its rest.
  nowMs = 10_999;
  chore.look();
  expect(work).toHaveBeenCalledTimes(1);
  nowMs = 11_000;
  chore.look();
  expect(work).toHaveBeenCalledTimes(2);
  end();
  await chore.end();
  nowMs = 1_000_000;
  chore.look();
  expect(work).toHaveBeenCalledTimes(2);
});

test('after a round that took very long the next is not waited for in proportion', async () => {
  let nowMs = 0;
  // The first one after a start, in which every run is read from its beginning.
  const work = jest.fn(async () => {
    nowMs += 19_000;
  });
  const chore = new Chore({ work, nowMs: () => nowMs });
  chore.look();
  await new Promise(setImmediate);
  nowMs = 48_999;
  chore.look();
  expect(work).toHaveBeenCalledTimes(1);
  nowMs = 49_000;
  chore.look();
  expect(work).toHaveBeenCalledTimes(2);
  await chore.end();
});

test('a bug is told, each once; trouble of the share is not', async () => {
  let nowMs = 0;
  const bug = new TypeError('pages is undefined');
  const thrown = [fsError('ESTALE'), bug, bug, new ShareError('share-full', 'The share has no room left.')];
  const onBug = jest.fn();
  const chore = new Chore({ work: async () => Promise.reject(thrown.shift()), nowMs: () => nowMs, onBug });
  while (thrown.length > 0) {
    nowMs += 60_000;
    chore.look();
    await new Promise(setImmediate);
  }
  expect(onBug.mock.calls.map(([why]) => why)).toEqual([
    expect.stringMatching(/^TypeError: pages is undefined at .*chore\.test\.ts:\d+:\d+/),
  ]);
  expect(onBug.mock.calls[0]?.[1]).toBe(bug);
  await chore.end();
});

test('a bug that comes back after a round without it is told again', async () => {
  let nowMs = 0;
  const bug = new TypeError('pages is undefined');
  const rounds = [bug, bug, undefined, bug];
  const onBug = jest.fn();
  const work = async () => {
    const thrown = rounds.shift();
    if (thrown !== undefined) throw thrown;
  };
  const chore = new Chore({ work, nowMs: () => nowMs, onBug });
  while (rounds.length > 0) {
    nowMs += 60_000;
    chore.look();
    await new Promise(setImmediate);
  }
  expect(onBug).toHaveBeenCalledTimes(2);
  await chore.end();
});
