// How a job stands, in the words of the sheet and the status file.
import { listVerdict } from '../../../../../activities/registers/words/outcome-words';
import type { JobHead } from '../../../contract/jobs';
import { roundEstimate, tellMoment, tellNumber } from '../../shell/format';
import { may } from '../../shell/me';
import { now, reader } from '../../shell/reader';
import { texts } from '../../shell/texts';

/** The first answers "is it through?"; the rest says what is not, and until when. */
export function sentencesOf({
  share,
  tally,
  end,
  documents,
  unreadable,
}: JobHead): readonly [string, string] {
  const told = texts.job.unreadable(tellNumber(unreadable, reader()), unreadable === 1);
  if (unreadable > 0 && documents === 0) return [told, ''];
  const [first = '', rest = ''] = listVerdict(tally, may('answer', share) ? 'you' : 'a person');
  if (unreadable > 0) return [first, [rest, told].filter(Boolean).join(' ')];
  if (end.kind !== 'about') return [first, rest];
  const until = texts.job.until(tellMoment(roundEstimate(end.at, now.value), now.value, reader()));
  return [first, rest === '' ? '' : `${rest.replace(/\.$/, '')}, ${until}.`];
}

/** For the browser's tab: the verdict before the name. */
export function titleOf({ tally, documents, name }: JobHead): string {
  const tell = (count: number) => tellNumber(count, reader());
  const held = tally.held === 0 ? undefined : tell(tally.held);
  return texts.job.verdictTitle(tell(tally.through), tell(documents), held, name);
}
