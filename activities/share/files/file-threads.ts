// Node does all operations on files on a few threads, and on the same ones DNS and compressing. A mount that
// hangs keeps each thread that it was given: so all that goes to shares has a part of them only, and each
// share a part of that.
import { createSharedRoom, type Limit } from '../../host/concurrency';

/** Of so many threads one is left for what goes to no share. */
const ONE_OF = 8;
/** What one share makes good use of. */
const MOST = 7;

let openTurns: (() => Limit) | undefined;

/** For what is asked of one share. All of the process have one room of threads together. */
export function openFileTurns(): Limit {
  openTurns ??= createSharedRoom(threadsForShares(), MOST);
  return openTurns();
}

function threadsForShares(): number {
  // libuv's own default is four.
  const set = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  const threads = Number.isFinite(set) ? set : 4;
  return Math.max(1, threads - Math.max(1, Math.floor(threads / ONE_OF)));
}
