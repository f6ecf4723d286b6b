// The part `watcher-kills`: the watcher is killed at every boundary of claiming, hashing, sealing and
// starting a batch, and started again; a worker runs all the time.
import { type KillPlan, runKills } from './kill-cases';
import { FROM_DROP_TO_RECEIPT } from './kill-plays';
import { chooseKillPoints, chooseOneOfEachKind, createChance, shuffle, spread } from './kill-points';
import type { ChaosPart, PartOptions } from './part';

const COUNTS = { singles: 10, pairs: 40 };

export const watcherKills: ChaosPart = {
  name: 'watcher-kills',
  about: 'SIGKILL of the watcher at every boundary of its effects',
  run: async options =>
    await runKills(
      {
        part: 'watcher-kills',
        killed: 'watch',
        play: FROM_DROP_TO_RECEIPT,
        planOf: boundaries => planWatcherKills(boundaries, options, COUNTS),
      },
      options,
    ),
};

/** `singles`: of the short form; `pairs`: which the long form has besides all singles. */
export function planWatcherKills(
  boundaries: readonly string[],
  { form, seed }: PartOptions,
  { singles, pairs }: { readonly singles: number; readonly pairs: number },
): KillPlan[] {
  const points = chooseKillPoints(boundaries);
  const chance = createChance(seed);
  if (form === 'short') {
    return spread(chooseOneOfEachKind(points, chance), singles, chance).map(point => ({
      kills: [point],
    }));
  }
  const pick = (): string => points[Math.floor(chance() * points.length)] ?? '';
  return [
    ...shuffle(points, chance).map(point => ({ kills: [point] })),
    ...Array.from({ length: pairs }, () => ({ kills: [pick(), pick()] })),
  ];
}
