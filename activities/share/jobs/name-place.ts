// The names that a job's folder below `done` and `attention` may get, the best first. Pure.

const MAX_NAME_BYTES = 255;

/**
 * The folder's own name; where another job had that, with the day, so that a folder that is used every day
 * does not count up for years; then with the day and a number. The day is that of UTC, whatever zone the
 * share tells times in: of two watchers that begin the same job one loses only where both come upon the same
 * name.
 */
export function* namePlaces(folder: string, now: Date): Generator<string> {
  yield folder;
  for (const ending of endingsOfDay(now)) yield withEnding(folder, ending);
}

function* endingsOfDay(moment: Date): Generator<string> {
  const day = moment.toISOString().slice(0, 10);
  yield ` (${day})`;
  for (let number = 2; ; number += 1) yield ` (${day}, ${number})`;
}

/** Places of former days: no job is on its way for longer, and no folder is used more often in one day. */
const FORMER_DAYS = 400;
const PLACES_A_DAY = 20;
const DAY_MS = 86_400_000;

/**
 * With which of these, behind the name of its folder, a job may have been given its place until now: the
 * latest first; from tomorrow on, as clocks differ.
 */
export function* formerEndings(now: Date): Generator<string> {
  yield '';
  for (let day = -1; day < FORMER_DAYS; day += 1) {
    let count = 0;
    for (const ending of endingsOfDay(new Date(now.getTime() - day * DAY_MS))) {
      yield ending;
      count += 1;
      if (count >= PLACES_A_DAY) break;
    }
  }
}

/** No file system takes a longer name: its own part gives way. */
export function withEnding(name: string, ending: string): string {
  const mostBytes = MAX_NAME_BYTES - Buffer.byteLength(ending);
  if (Buffer.byteLength(name) <= mostBytes) return `${name}${ending}`;
  const letters = [...name];
  while (letters.length > 1 && Buffer.byteLength(letters.join('')) > mostBytes) letters.pop();
  return `${letters.join('')}${ending}`;
}
