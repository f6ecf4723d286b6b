// The part `watcher-kills`: the watcher is killed at every boundary of claiming, hashing, sealing and
// starting a batch, and started again; a worker runs all the time.
import { type KillPlan, runKills } from './kill-cases';
import { chooseKillPoints, chooseOneOfEachKind, createChance, shuffle, spread } from './kill-points';
import type { ChaosPart, PartOptions } from './part';

const SHORT_SINGLES = 10;
const LONG_PAIRS = 40;

export const watcherKills: ChaosPart = {
  name: 'watcher-kills',
  about: 'SIGKILL of the watcher at every boundary of its effects',
  run: async options => await runKills('watch', options, boundaries => planWatcherKills(boundaries, options)),
};

function planWatcherKills(boundaries: readonly string[], { form, seed }: PartOptions): KillPlan[] {
  const points = chooseKillPoints(boundaries);
  const chance = createChance(seed);
  if (form === 'short') {
    return spread(chooseOneOfEachKind(points, chance), SHORT_SINGLES, chance).map(point => ({
      kills: [point],
    }));
  }
  const pick = (): string => points[Math.floor(chance() * points.length)] ?? '';
  return [
    ...shuffle(points, chance).map(point => ({ kills: [point] })),
    ...Array.from({ length: LONG_PAIRS }, () => ({ kills: [pick(), pick()] })),
  ];
}
