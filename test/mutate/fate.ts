// What the runs of a bug's tests say about it. Pure.
import type { Judged } from './bug';
import type { Run } from './workshop';

export type Verdict = Pick<Judged, 'fate' | 'detail'>;

/**
 * What the first run with the bug says; undefined where a test failed, for which that one has to be looked at
 * again: it may be one that fails now and then, with the bug or without it.
 */
export function fateOfFirst(run: Run): Verdict | undefined {
  if (run.kind === 'hung') return { fate: 'hung' };
  // The process that runs them has ended, or a file could not be loaded: no test has seen anything.
  if (run.failed === 0 && run.broken > 0) return { fate: 'proves nothing', detail: whyOf(run) };
  return run.failed > 0 ? undefined : { fate: 'survived' };
}

/**
 * Noticed is a bug by a test that fails with it each time and does not fail without it.
 * @param first run of all its tests, with the bug
 * @param again the same tests as failed then, with the bug
 * @param without the same, without it
 */
export function fateOfFailed(first: Run, again: Run, without: Run): Verdict {
  // A hang is no failure of the same tests, though it is no passing either.
  if (again.kind === 'hung') return { fate: 'hung' };
  if (failedIn(first).length === 0)
    return { fate: 'proves nothing', detail: `no test of a name: ${whyOf(first)}` };
  const steady = failedIn(first).filter(name => failedIn(again).includes(name));
  if (steady.length === 0) return { fate: 'survived', detail: `failed once only: ${whyOf(first)}` };
  const isRed = without.kind === 'hung' || without.broken > 0 || without.passed === 0;
  const telling = isRed ? [] : steady.filter(name => !failedIn(without).includes(name));
  if (telling.length > 0) return { fate: 'killed' };
  return { fate: 'proves nothing', detail: `red without it as well: ${whyOf(without)}` };
}

/** Full names of the tests that failed. */
export function failedIn(run: Run): readonly string[] {
  return run.kind === 'hung' ? [] : run.failedTests;
}

export function whyOf(run: Run): string {
  return run.kind === 'hung' ? 'it did not end' : run.detail.slice(0, 1_000) || 'no test ran';
}

/** More than these are not run again: one is enough. */
const MOST_NAMES = 10;

/** For jest's -t: these tests and no other. */
export function patternFor(names: readonly string[]): string {
  const escaped = names.slice(0, MOST_NAMES).map(name => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `^(?:${escaped.join('|')})$`;
}
