// For how long something lasts, told to the minute.
import { tellDuration } from '../../shell/format';
import { now } from '../../shell/reader';
import { texts } from '../../shell/texts';

const MINUTE_MS = 60_000;

/** `now` is the last full minute: what has begun since is of negative age, and told as under a minute. */
export function tellAge(since: string): string {
  const ms = now.value.getTime() - new Date(since).getTime();
  return ms < MINUTE_MS ? texts.operations.lessThanAMinute : tellDuration(ms);
}
