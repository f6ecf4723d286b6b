// Worked hours from the times of a clock: integers throughout, since money hangs on it.
import { instantOf, secondOfDay } from '../../../workflows/timesheets/decide/clock-times';

export interface WorkedTime {
  /** Time of day (`07:30`, `07:30:15`) or ISO 8601 timestamp with its offset; both of one kind. */
  readonly timeIn: string;
  readonly timeOut: string;
  /** Unpaid break; whole minutes. */
  readonly lunchMinutes: number;
}

export type CountedHours =
  | {
      readonly kind: 'counted';
      /**
       * Decimal text: exact where four decimals suffice (every multiple of 18 seconds), else rounded half up.
       */
      readonly hours: string;
      readonly workedSeconds: number;
      /** Times of day only: the end lies on the next day. */
      readonly overMidnight: boolean;
    }
  | { readonly kind: 'impossible'; readonly text: string; readonly fix: string };

const DAY_SECONDS = 86_400;

/**
 * Hours between the two times less the break. Times of day go over midnight when the end is before the start;
 * equal ones could mean nothing or a whole day, so they are refused. A shift lasts less than 24 hours.
 */
export function countHours(worked: WorkedTime): CountedHours {
  const { lunchMinutes } = worked;
  if (!Number.isInteger(lunchMinutes) || lunchMinutes < 0 || lunchMinutes >= DAY_SECONDS / 60) {
    return impossible(
      'The break is no number of whole minutes of a day.',
      'Give it in minutes, for example 30.',
    );
  }
  const span = spanOf(worked);
  if ('kind' in span) return span;
  const workedSeconds = span.seconds - lunchMinutes * 60;
  if (workedSeconds <= 0) {
    return impossible(
      `The break of ${lunchMinutes} minutes leaves nothing of the time from ${worked.timeIn} to ${worked.timeOut}.`,
      'Correct the break or the times.',
    );
  }
  return {
    kind: 'counted',
    hours: toHoursText(workedSeconds),
    workedSeconds,
    overMidnight: span.overMidnight,
  };
}

/**
 * Seconds as hours in decimal text, at most four decimals, rounded half up, no needless zeros but one: `8.0`.
 */
export function toHoursText(seconds: number): string {
  const tenThousandths = Math.floor((seconds * 10_000 * 2 + 3_600) / 7_200);
  const whole = Math.floor(tenThousandths / 10_000);
  const fraction = String(tenThousandths % 10_000)
    .padStart(4, '0')
    .replace(/0{1,3}$/, '');
  return `${whole}.${fraction}`;
}

function spanOf(
  worked: WorkedTime,
):
  | { readonly seconds: number; readonly overMidnight: boolean }
  | Extract<CountedHours, { kind: 'impossible' }> {
  const { timeIn, timeOut } = worked;
  const [start, end] = [secondOfDay(timeIn), secondOfDay(timeOut)];
  if (start !== undefined && end !== undefined) {
    if (start === end) {
      return impossible(
        `The start and the end are both ${timeIn}.`,
        'Correct one of them; for a long shift give date and time with the offset.',
      );
    }
    return end > start
      ? { seconds: end - start, overMidnight: false }
      : { seconds: end - start + DAY_SECONDS, overMidnight: true };
  }
  const [from, to] = [instantOf(timeIn), instantOf(timeOut)];
  if (from === undefined || to === undefined) {
    const isMixed = [start, end, from, to].filter(time => time !== undefined).length === 2;
    return isMixed
      ? impossible(
          'One of the times has a date, the other has none.',
          'Give both as times of day or both with date and offset.',
        )
      : impossible(
          'A time cannot be read.',
          'Write 07:30, or with date and offset 2026-01-31T07:30:00+01:00.',
        );
  }
  const seconds = to - from;
  if (seconds <= 0 || seconds >= DAY_SECONDS) {
    return impossible(
      seconds <= 0 ? 'The end is not after the start.' : 'The shift lasts 24 hours or longer.',
      'Correct the times, or enter the days separately.',
    );
  }
  return { seconds, overMidnight: false };
}

function impossible(text: string, fix: string): Extract<CountedHours, { kind: 'impossible' }> {
  return { kind: 'impossible', text, fix };
}
