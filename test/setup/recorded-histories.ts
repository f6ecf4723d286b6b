// Histories of runs as they once happened, kept in test/histories. Every build must
// replay them and do the same things.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';

const FOLDER = join(__dirname, '..', 'histories');

type History = ReturnType<typeof historyFromJSON>;

export interface RecordedHistory {
  readonly name: string;
  readonly history: History;
}

/** With DRAWBRIDGE_RECORD_HISTORIES set, keeps the history of the running test under the test's name. */
export async function recordHistory(handle: WorkflowHandle): Promise<void> {
  if (process.env.DRAWBRIDGE_RECORD_HISTORIES === undefined) return;
  const name = (expect.getState().currentTestName ?? 'unnamed').replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
  const json = JSON.parse(historyToJSON(await handle.fetchHistory())) as {
    events: Record<string, unknown>[];
  };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${name.slice(0, 100)}.json`), `${JSON.stringify(scrub(json))}\n`);
}

/** @param release a folder of histories of an earlier release; those of now by default. */
export function readHistories(release = '.'): RecordedHistory[] {
  const folder = join(FOLDER, release);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .sort()
    .map(name => ({
      name: name.slice(0, -'.json'.length),
      history: historyFromJSON(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
    }));
}

const SCRUBBED: Readonly<Record<string, string>> = { identity: 'recorded', stackTrace: '' };

/** Which machine and process it was, and where the code lay, is nobody's business. */
function scrub<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(scrub) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    Object.hasOwn(SCRUBBED, key) ? SCRUBBED[key] : scrub(inner),
  ]);
  return Object.fromEntries(entries) as Value;
}
