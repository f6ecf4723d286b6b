// The part `kills`: the worker is killed at every boundary of its effects, singly and in random pairs, and started again.
import { type KillPlan, runKills } from './kill-cases';
import { chooseKillPoints, chooseOneOfEachKind, createChance, shuffle, spread } from './kill-points';
import type { ChaosPart, PartOptions } from './part';

const PAIRS = { short: 6, long: 300 } as const;
const SHORT_SINGLES = 24;

export const workerKills: ChaosPart = {
  name: 'kills',
  about: 'SIGKILL of the worker at every boundary of its effects, singly and in pairs',
  run: async options => await runKills('worker', options, boundaries => planWorkerKills(boundaries, options)),
};

function planWorkerKills(boundaries: readonly string[], { form, seed }: PartOptions): KillPlan[] {
  const points = chooseKillPoints(boundaries);
  const chance = createChance(seed);
  const singles =
    form === 'long' ? points : spread(chooseOneOfEachKind(points, chance), SHORT_SINGLES, chance);
  const pick = (): string => points[Math.floor(chance() * points.length)] ?? '';
  return [
    ...shuffle(singles, chance).map(point => ({ kills: [point] })),
    ...Array.from({ length: PAIRS[form] }, () => ({ kills: [pick(), pick()] })),
  ];
}
