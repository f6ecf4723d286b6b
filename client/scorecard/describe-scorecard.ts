// The scorecard as people read it, and as programs do. Pure.
import { tellCount } from '../../activities/registers/words/outcome-words';
import { toDurationText, toTable, toVisible } from '../session/terminal-text';
import { advise, adviseInOneLine } from './advise';
import { type FieldTally, sumTypes, type Tally, type TypeTally } from './tally-analysis';

export interface Scorecard {
  readonly share: string;
  readonly tally: Tally;
  /** Batches whose receipts cannot be read, or believed. */
  readonly unread: number;
}

export function toScorecardJson({ share, tally, unread }: Scorecard): object {
  const { batches, from = null, to = null } = tally;
  const all = sumTypes(tally.types.values());
  return {
    share,
    batches,
    unread,
    from,
    to,
    ...tallyToJson(all),
    advice: adviseInOneLine(byName(all)) ?? null,
    types: sorted(tally).map(one => ({ type: one.type, ...tallyToJson(one) })),
  };
}

function tallyToJson(one: TypeTally): object {
  const { documents, waited, late, failed, waits } = one;
  const medianMs = waits.medianMs ?? null;
  return {
    documents,
    analysis: { waited, late, failed, medianMs, longestMs: waited === 0 ? null : waits.longestMs },
    fields: byName(one).map(field => ({
      field: field.label,
      asked: askedOf(field),
      found: field.found,
      agreed: field.agreed,
      overruled: field.overruled,
      givenBefore: field.givenBefore,
      advice: advise(field),
    })),
  };
}

export function describeScorecard({ share, tally, unread }: Scorecard): string {
  const all = sumTypes(tally.types.values());
  const heading = [
    `What the analysis of the service is worth, by the receipts of share ${toVisible(share)}`,
    countDocuments(tally, all),
    ...(unread === 0 ? [] : [`${count(unread, 'batch', 'batches')} left out: no receipt that can be read.`]),
    ...describeWait(all),
  ].join('\n');
  if (all.waited === 0)
    return `${heading}\n\nAdvice: none yet. The analysis was waited for with no document.`;
  const advice = adviseInOneLine(byName(all)) ?? 'none yet, there are too few documents.';
  const types = sorted(tally).filter(({ waited }) => waited > 0);
  return [heading, ...types.map(describeType), LEGEND, `Advice: ${toVisible(advice)}`].join('\n\n');
}

const LEGEND = [
  'Asked: nobody had given the field with the file. Agreed, overruled: after the analysis had found a value, somebody gave',
  'the same, or another one, in an answer or in the register that a set-apart file came again with. Given: by a person, a',
  'register, a name, a folder, the share or a default; the service leaves such a field alone, so nobody sees what it would',
  'have found.',
].join('\n');

function countDocuments({ batches, from, to }: Tally, { documents }: TypeTally): string {
  const days = [...new Set([from ?? '', to ?? ''].map(at => at.slice(0, 10)))].join(' to ');
  return `${count(documents, 'document')} in ${count(batches, 'finished batch', 'finished batches')}${days === '' ? '' : `, ${days}`}.`;
}

function describeWait(all: TypeTally): readonly string[] {
  const { documents, waited, waits } = all;
  const rest = documents - waited;
  const of = waited === documents ? 'all of them' : `${tellCount(waited)} of them`;
  return [
    ...(waited === 0
      ? []
      : [`The analysis was waited for with ${of}: ${describeWaits(waits)}, ${describeEnds(all)}.`]),
    ...(rest === 0
      ? []
      : [
          `With ${count(rest, 'document')} it was not: nothing of it was needed, there is none for such files, or the receipts do not tell.`,
        ]),
  ];
}

function describeEnds({ waited, late, failed }: TypeTally): string {
  const parts = [
    ...(late === 0 ? [] : [`${withShare(late, waited)} not in time`]),
    ...(failed === 0 ? [] : [`${withShare(failed, waited)} failed`]),
  ];
  return parts.length === 0 ? 'each in time' : parts.join(', ');
}

function describeWaits({ medianMs = 0, longestMs }: TypeTally['waits']): string {
  return `median ${toWaitText(medianMs)}, longest ${toWaitText(longestMs)}`;
}

function describeType(one: TypeTally): string {
  const { type, documents, waited, waits } = one;
  const of = waited === documents ? '' : `, ${tellCount(waited)} waited for`;
  const asked = byName(one).filter(field => askedOf(field) > 0);
  const given = byName(one).filter(field => askedOf(field) === 0);
  const rows = asked.map(field => [
    toVisible(field.label, 40),
    tellCount(askedOf(field)),
    withShare(field.found, askedOf(field)),
    tellCount(field.agreed),
    tellCount(field.overruled),
    tellCount(field.givenBefore),
    advise(field),
  ]);
  const told = given.map(({ label, givenBefore }) => `${label} (${tellCount(givenBefore)})`).join(', ');
  return [
    toVisible(`${type}: ${count(documents, 'document')}${of}: ${describeWaits(waits)}, ${describeEnds(one)}`),
    ...(rows.length === 0
      ? []
      : [indent(toTable([['Field', 'Asked', 'Found', 'Agreed', 'Overruled', 'Given', 'Advice'], ...rows]))]),
    ...(told === '' ? [] : [indent(toVisible(`Always given: ${told}`))]),
  ].join('\n');
}

/** The type with the most documents first. */
function sorted({ types }: Tally): readonly TypeTally[] {
  return [...types.values()].sort(
    (one, other) => other.documents - one.documents || (one.type < other.type ? -1 : 1),
  );
}

function byName({ fields }: TypeTally): readonly FieldTally[] {
  return [...fields.values()].sort((one, other) => (one.label < other.label ? -1 : 1));
}

function askedOf({ found, lacked }: FieldTally): number {
  return found + lacked;
}

function withShare(part: number, whole: number): string {
  const percent = Math.round((part / whole) * 100);
  // Rounded, nearly all must not read as 100 %, nor a few as 0 %.
  if (percent === 0 && part > 0) return `${tellCount(part)} (< 1 %)`;
  return `${tellCount(part)} (${percent === 100 && part < whole ? '> 99' : percent} %)`;
}

/** Tenths of a second where they count. */
function toWaitText(durationMs: number): string {
  return durationMs < 10_000 ? `${(durationMs / 1_000).toFixed(1)} s` : toDurationText(durationMs);
}

function count(many: number, one: string, several = `${one}s`): string {
  return `${tellCount(many)} ${many === 1 ? one : several}`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
