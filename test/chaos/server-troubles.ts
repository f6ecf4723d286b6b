// What the Temporal server of the suite complained of, in a few lines. Where it did not keep up, nothing else
// did: whoever reads what was found has to know.
import { existsSync, readFileSync } from 'node:fs';

/** The others are noise, such as two namespaces that are made at one time. */
const FEWEST = 10;
const MOST_LINES = 3;
const LONGEST = 160;

/** A line for each complaint that its log repeats, the most frequent first; nothing without a log. */
export function tellServerTroubles(logFile: string): readonly string[] {
  if (!existsSync(logFile)) return [];
  const counts = new Map<string, number>();
  for (const line of readFileSync(logFile, 'utf8').split('\n')) {
    const complaint = complaintOf(line);
    if (complaint !== undefined) counts.set(complaint, (counts.get(complaint) ?? 0) + 1);
  }
  const many = [...counts].filter(([, count]) => count >= FEWEST).sort(([, one], [, other]) => other - one);
  return many
    .slice(0, MOST_LINES)
    .map(([complaint, count]) => `The Temporal server said ${count} times: ${complaint.slice(0, LONGEST)}`);
}

function complaintOf(line: string): string | undefined {
  try {
    const { level, msg, error } = JSON.parse(line) as Record<string, unknown>;
    return level === 'ERROR' ? `${String(msg)} ${String(error ?? '')}`.trim() : undefined;
  } catch {
    // Its greeting, or a line that a kill has cut.
    return undefined;
  }
}
