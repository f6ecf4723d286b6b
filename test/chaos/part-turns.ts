// Which parts run beside each other. Most of them wait half of their time, for heartbeats, pauses and timers:
// three at once use a machine well. Not two that fill its memory, and nothing beside one that measures time.
import type { ChaosPart } from './part';

const AT_ONCE = 3;

/**
 * Every part once: in turns beside each other, then each of those that must be alone.
 * Answers in the order of `parts`.
 */
export async function runInTurns<Result>(
  parts: readonly ChaosPart[],
  run: (part: ChaosPart) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<ChaosPart, Result>();
  const waiting = parts.filter(({ needs }) => needs !== 'the machine for itself');
  let isHeavyUnderway = false;
  /** The first runner begins with what takes long; there is always one that does not wait for memory. */
  const next = (): ChaosPart | undefined => {
    const at = isHeavyUnderway
      ? waiting.findIndex(({ needs }) => needs !== 'much memory')
      : Math.max(
          0,
          waiting.findIndex(({ needs }) => needs === 'much memory'),
        );
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  const runner = async (): Promise<void> => {
    for (let part = next(); part !== undefined; part = next()) {
      const isHeavy = part.needs === 'much memory';
      if (isHeavy) isHeavyUnderway = true;
      results.set(part, await run(part));
      if (isHeavy) isHeavyUnderway = false;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  for (const part of parts) if (!results.has(part)) results.set(part, await run(part));
  return parts.flatMap(part => {
    const result = results.get(part);
    return result === undefined ? [] : [result];
  });
}
