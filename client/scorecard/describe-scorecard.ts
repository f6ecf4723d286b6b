// The scorecard as people read it, and as programs do. Pure.
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
    ...typeToJson(all),
    type: undefined,
    advice: adviseInOneLine(byName(all)) ?? null,
    types: sorted(tally).map(typeToJson),
  };
}

function typeToJson(one: TypeTally): object {
  const { type, documents, waited, late, failed, waits } = one;
  const medianMs = waits.medianMs ?? null;
  return {
    type,
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
  'Asked: nobody had given the field with the file. Agreed, overruled: somebody gave the same, or another value, after the',
  'analysis had found one. Given: by a person, a register, a name, a folder, the share or a default, with the file; the service',
  'leaves such a field alone, so nobody sees what it would have found.',
].join('\n');

function countDocuments({ batches, from, to }: Tally, { documents }: TypeTally): string {
  const days = from === undefined || to === undefined ? '' : `, ${from.slice(0, 10)} to ${to.slice(0, 10)}`;
  return `${count(documents, 'document')} in ${count(batches, 'finished batch', 'finished batches')}${days}.`;
}

function describeWait({ documents, waited, late, failed, waits }: TypeTally): readonly string[] {
  const rest = documents - waited;
  return [
    ...(waited === 0
      ? []
      : [
          `The analysis was waited for with ${waited} of them: ${describeWaits(waits)}; ` +
            `${withShare(late, waited)} not in time, ${withShare(failed, waited)} failed.`,
        ]),
    ...(rest === 0
      ? []
      : [
          `With ${rest} it was not: they needed nothing of it, there is none for such files, or their receipts do not tell.`,
        ]),
  ];
}

function describeWaits({ medianMs = 0, longestMs }: TypeTally['waits']): string {
  return `half of them within ${toWaitText(medianMs)}, the longest ${toWaitText(longestMs)}`;
}

function describeType(one: TypeTally): string {
  const { type, documents, waited, late, waits } = one;
  const of = waited === documents ? '' : `, ${waited} waited for`;
  const lateness = late === 0 ? '' : `, ${withShare(late, waited)} not in time`;
  const [asked, given] = [
    byName(one).filter(field => askedOf(field) > 0),
    byName(one).filter(field => askedOf(field) === 0),
  ];
  const rows = asked.map(field => [
    toVisible(field.label, 40),
    String(askedOf(field)),
    withShare(field.found, askedOf(field)),
    String(field.agreed),
    String(field.overruled),
    String(field.givenBefore),
    advise(field),
  ]);
  const told = given.map(({ label, givenBefore }) => `${label} (${givenBefore})`).join(', ');
  return [
    toVisible(`${type}: ${count(documents, 'document')}${of}: ${describeWaits(waits)}${lateness}`),
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
  return `${part} (${Math.round((part / whole) * 100)} %)`;
}

/** Tenths of a second where they count. */
function toWaitText(durationMs: number): string {
  return durationMs < 10_000 ? `${(durationMs / 1_000).toFixed(1)} s` : toDurationText(durationMs);
}

function count(many: number, one: string, several = `${one}s`): string {
  return `${many} ${many === 1 ? one : several}`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
