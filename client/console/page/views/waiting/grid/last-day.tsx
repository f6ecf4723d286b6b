// On the last day of a question: the time until which it can be answered.
import { Icon } from '../../../parts/icons';
import { tellClock } from '../../../shell/format';
import { now, reader } from '../../../shell/reader';
import { texts as catalogue } from '../../../shell/texts';

const texts = catalogue.waiting;
const DAY_MS = 24 * 60 * 60_000;

export function LastDay({ until }: { readonly until: string }) {
  if (Date.parse(until) - now.value.getTime() > DAY_MS) return null;
  return (
    <span class="waiting-last of-held nums" title={texts.lastDayMeans}>
      <Icon name="clock" /> {texts.lastDay(tellClock(until, reader()))}
    </span>
  );
}
