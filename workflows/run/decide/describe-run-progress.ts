// The live details of a workflow in the Temporal UI, as Markdown: what it does, what it waits for, what it
// has noted.
import type { Reason } from '../../contract';
import { EMPTY_END, escapeMarkdown } from './escape-markdown';

const MOST_NOTES = 30;
const MOST_UNITS = 300;

export interface RunProgressFacts {
  readonly title: string;
  readonly step: string;
  readonly notes: readonly string[];
  readonly blocked?: { readonly reason: Reason } | undefined;
}

/** Markdown of a few kilobytes; what comes from elsewhere cannot become markup. */
export function describeRunProgress({ title, step, notes, blocked }: RunProgressFacts): string {
  const lines = [`**${toPlain(title)}**`, '', toPlain(step)];
  if (blocked !== undefined) {
    lines.push('', `**Waiting:** ${toPlain(blocked.reason.text)} ${toPlain(blocked.reason.fix)}`);
  }
  if (notes.length > 0) lines.push('', ...notes.slice(-MOST_NOTES).map(note => `- ${toPlain(note)}`));
  return `${lines.join('\n')}${EMPTY_END}`;
}

function toPlain(text: string): string {
  return escapeMarkdown(text, MOST_UNITS);
}
