// Who asks what is away: the same for all within some seconds, but nothing from before something was done.
import { Lookout } from '../../../../client/console/operations/lookout';
import type { ConsoleDeps } from '../../../../client/console/serve/module';

test('whoever asks while the look after something was done is under way waits for it', async () => {
  const looks: (() => void)[] = [];
  const lookout = new Lookout({
    shares: () => [],
    now: () => new Date(1_000),
    temporal: async () =>
      await new Promise((_resolve, reject) => looks.push(() => reject(new Error('Temporal is away')))),
  } as unknown as ConsoleDeps);
  const first = lookout.look();
  looks[0]?.();
  const before = await first;
  expect(await lookout.look()).toBe(before);
  lookout.forget();
  const [one, other] = [lookout.look(), lookout.look()];
  while (looks.length < 2) await Promise.resolve();
  const late = lookout.look();
  looks[1]?.();
  const after = await one;
  expect(after).not.toBe(before);
  expect(await Promise.all([other, late])).toEqual([after, after]);
  expect((await late) === before).toBe(false);
  expect(looks).toHaveLength(2);
});
