// What to make of the analysis, field by field: trust what it finds, stop waiting for it, or ask people.
// Pure.
import { joinWords } from '../../activities/registers/register-fault';
import type { FieldTally } from './tally-analysis';

export type Advice = 'trust it' | 'stop waiting' | 'ask' | 'too few' | 'no say';

/** With fewer documents chance says more than the analysis. */
const FEWEST = 10;
const OFTEN = 0.9;
const HARDLY = 0.1;
/** Overruled, of what was found. */
const MOST_OVERRULED = 0.02;

/** `no say`: nobody left the field to it. */
export function advise({
  found,
  lacked,
  overruled,
}: Pick<FieldTally, 'found' | 'lacked' | 'overruled'>): Advice {
  const asked = found + lacked;
  if (asked === 0) return 'no say';
  if (asked < FEWEST) return 'too few';
  if (found / asked < HARDLY) return 'stop waiting';
  return found / asked >= OFTEN && overruled / found <= MOST_OVERRULED ? 'trust it' : 'ask';
}

/** One line over all fields; undefined where there is nothing to go by. */
export function adviseInOneLine(
  fields: readonly Pick<FieldTally, 'label' | 'found' | 'lacked' | 'overruled'>[],
): string | undefined {
  const by = (wanted: Advice) => fields.filter(field => advise(field) === wanted).map(({ label }) => label);
  const [trusted, useless, unsure] = [by('trust it'), by('stop waiting'), by('ask')];
  const parts = [
    ...(trusted.length === 0 ? [] : [`trust it for ${joinWords(trusted)}`]),
    ...(useless.length === 0
      ? []
      : [`stop waiting for ${joinWords(useless)}: give it by register, name or default`]),
    ...(unsure.length === 0 ? [] : [`ask people for ${joinWords(unsure)}`]),
  ];
  return parts.length === 0 ? undefined : `${parts.join('; ')}.`;
}
