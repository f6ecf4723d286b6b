// The part `kills`: the worker is killed at every boundary of its effects, singly and in
// random pairs, and started again.
import { type KillPlan, runKills } from './kill-cases';
import { FROM_DROP_TO_RECEIPT } from './kill-plays';
import { chooseKillPoints, chooseOneOfEachKind, createChance, shuffle, spread } from './kill-points';
import type { ChaosPart, PartOptions } from './part';

const LONG_PAIRS = 300;
/**
 * The short form: kinds of boundaries, spread over the run, each once: some singly, the others two by two.
 */
const SHORT_SINGLES = 16;
const SHORT_PAIRS = 4;

export const workerKills: ChaosPart = {
  name: 'kills',
  about: 'SIGKILL of the worker at every boundary of its effects, singly and in pairs',
  needs: 'much memory',
  run: async options =>
    await runKills(
      {
        part: 'kills',
        killed: 'worker',
        play: FROM_DROP_TO_RECEIPT,
        planOf: boundaries => planWorkerKills(boundaries, options),
      },
      options,
    ),
};

function planWorkerKills(boundaries: readonly string[], { form, seed }: PartOptions): KillPlan[] {
  const points = chooseKillPoints(boundaries);
  const chance = createChance(seed);
  if (form === 'short') return planFew(points, chance);
  const pick = (): string => points[Math.floor(chance() * points.length)] ?? '';
  return [
    ...shuffle(points, chance).map(point => ({ kills: [point] })),
    ...Array.from({ length: LONG_PAIRS }, () => ({ kills: [pick(), pick()] })),
  ];
}

/** A pair is killed in the order of the run: what lies before the first kill is not passed again. */
export function planFew(points: readonly string[], chance: () => number): KillPlan[] {
  const kinds = spread(chooseOneOfEachKind(points, chance), SHORT_SINGLES + 2 * SHORT_PAIRS, chance);
  const inOrder = (one: string, other: string) => points.indexOf(one) - points.indexOf(other);
  const mixed = shuffle(kinds, chance);
  const paired = mixed.slice(SHORT_SINGLES);
  return [
    ...Array.from({ length: Math.floor(paired.length / 2) }, (_, turn) => ({
      kills: paired.slice(2 * turn, 2 * turn + 2).sort(inOrder),
    })),
    ...mixed.slice(0, SHORT_SINGLES).map(point => ({ kills: [point] })),
  ];
}
