// The batch's live details in the Temporal UI, as Markdown: counts, who waits for whom, and what was set
// apart.

import { EMPTY_END, escapeMarkdown } from '../../run/decide/escape-markdown';
import type { BatchProgress, DocumentOutcome, DocumentStage } from '../ingest-contract';

const STAGES: readonly (readonly [DocumentStage, string])[] = [
  ['waiting', 'waiting'],
  ['planning', 'being planned'],
  ['transferring', 'being sent'],
  ['releasing', 'sent, not yet released by the service'],
  ['linking', 'being linked'],
  ['analysing', 'being analysed'],
  ['completing', 'being completed'],
  ['submitting', 'being submitted'],
  ['in-line', 'waiting for an earlier revision'],
  ['held', 'held for a person'],
  ['answered', 'answered, and about to go on'],
  ['submitted', 'submitted'],
  ['set-apart', 'set apart'],
  ['skipped', 'skipped: there already'],
];
const MOST_ROWS = 20;
/**
 * Longest cells, in UTF-16 units: with these and MOST_ROWS the whole text stays under 64 KiB, whatever the
 * names are.
 */
const PATH_UNITS = 110;
const WORDS_UNITS = 200;

/** Markdown of at most 64 KiB; long lists end with how many more there are. */
export function describeProgress(
  progress: BatchProgress,
  outcomes: readonly DocumentOutcome[],
  paths: readonly string[],
): string {
  const lines = [`**${progress.documents} documents** of share \`${progress.share}\``, ''];
  if (progress.blocked !== undefined) {
    lines.push(
      `**Waiting:** ${toCell(progress.blocked.reason.text)} ${toCell(progress.blocked.reason.fix)}`,
      '',
    );
  }
  lines.push('| Stage | Documents |', '|---|---|');
  for (const [stage, words] of STAGES) {
    const count = progress.stages[stage];
    if (count !== undefined) lines.push(`| ${words} | ${count} |`);
  }
  if (progress.held.length > 0) {
    lines.push('', '| Held | Document | Why | What to do |', '|---|---|---|---|');
    for (const held of progress.held.slice(0, MOST_ROWS)) {
      lines.push(
        `| ${held.index} | ${toCell(held.path, PATH_UNITS)} | ${toCell(held.reason.text)} | ${toCell(held.reason.fix)} |`,
      );
    }
    if (progress.held.length > MOST_ROWS)
      lines.push(`| | and ${progress.held.length - MOST_ROWS} more | see the query "progress" | |`);
  }
  if (progress.inLine !== undefined) {
    const inLineRows = Math.max(0, MOST_ROWS - progress.held.length);
    lines.push('', '| In line | Document | Why |', '|---|---|---|');
    for (const waiting of progress.inLine.slice(0, inLineRows)) {
      lines.push(
        `| ${waiting.index} | ${toCell(waiting.path, PATH_UNITS)} | ${toCell(waiting.reason.text)} |`,
      );
    }
    if (progress.inLine.length > inLineRows)
      lines.push(`| | and ${progress.inLine.length - inLineRows} more | see the query "progress" |`);
  }
  const apart = outcomes.flatMap(outcome => (outcome.kind === 'set-apart' ? [outcome] : []));
  if (apart.length > 0) {
    lines.push('', '| Set apart | Why | What to do |', '|---|---|---|');
    for (const { index, reason } of apart.slice(0, MOST_ROWS)) {
      lines.push(
        `| ${toCell(paths[index] ?? String(index), PATH_UNITS)} | ${toCell(reason.text)} | ${toCell(reason.fix)} |`,
      );
    }
    if (apart.length > MOST_ROWS) lines.push(`| and ${apart.length - MOST_ROWS} more | see the receipt | |`);
  }
  return [...lines, '', 'All of it: the query `progress`.', EMPTY_END].join('\n');
}

function toCell(text: string, mostUnits: number = WORDS_UNITS): string {
  return escapeMarkdown(text, mostUnits);
}
