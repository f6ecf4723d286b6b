// The share that somebody asks about, by its name. Whether they may is checked before.
import type { Share } from '../../../activities/share/share';
import { texts } from '../texts/texts';
import { type ConsoleDeps, ConsoleProblem, type ConsoleShare } from './module';

/** @throws ConsoleProblem 404. */
export function shareOf({ shares }: Pick<ConsoleDeps, 'shares'>, name: string): ConsoleShare {
  const found = shares().find(({ config }) => config.name === name);
  if (found === undefined) throw new ConsoleProblem(404, texts.asked.noShare);
  return found;
}

/** @throws ConsoleProblem 503 while this host does not see it. */
export function openShareOf(deps: Pick<ConsoleDeps, 'shares'>, name: string): Share {
  const { share, why } = shareOf(deps, name);
  if (share !== undefined) return share;
  throw new ConsoleProblem(503, texts.asked.shareIsAway(name, why));
}
