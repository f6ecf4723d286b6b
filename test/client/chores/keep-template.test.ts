import { type KeepTemplateOptions, keepTemplate } from '../../../client/chores/keep-template';
import { standInShare } from '../../../client/session/stand-in';

type Seen = Awaited<ReturnType<KeepTemplateOptions['look']>>;

/** Ends with the last of what is seen. Answers how many times it was looked. */
async function keep(
  seen: readonly (Seen | 'away')[],
  times: NonNullable<KeepTemplateOptions['times']>,
): Promise<number> {
  const ended = new AbortController();
  let looks = 0;
  await keepTemplate({
    share: { name: 'tender', config: standInShare('/share') },
    look: async () => {
      const now = seen[looks];
      looks += 1;
      if (looks === seen.length) ended.abort();
      if (now === undefined || now === 'away') throw new Error('away');
      return now;
    },
    signal: ended.signal,
    times,
  });
  return looks;
}

const NEVER = 2 ** 31 - 1;

test('it is looked at again and again, sooner where the look could not be had', async () => {
  expect(await keep(['written', 'fresh', 'theirs', 'fresh'], { everyMs: 1, soonMs: NEVER })).toBe(4);
  const withoutLook = ['cannot-ask', 'away', 'cannot-write', 'written'] as const;
  expect(await keep(withoutLook, { everyMs: NEVER, soonMs: 1 })).toBe(4);
});

test('where there is to be none, and after the end, nobody looks', async () => {
  const look = jest.fn();
  const config = standInShare('/share');
  const without = { ...config, register: { ...config.register, template: undefined } };
  await keepTemplate({
    share: { name: 'tender', config: without },
    look,
    signal: new AbortController().signal,
  });
  await keepTemplate({ share: { name: 'tender', config }, look, signal: AbortSignal.abort() });
  expect(look).not.toHaveBeenCalled();
});

test('a look that waits for the service does not keep the watcher from its end', async () => {
  const ended = new AbortController();
  const look = () => new Promise<never>(() => setImmediate(() => ended.abort()));
  await keepTemplate({
    share: { name: 'tender', config: standInShare('/share') },
    look,
    signal: ended.signal,
  });
  expect(ended.signal.aborted).toBe(true);
});
