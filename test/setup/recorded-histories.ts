// Histories of runs as they once happened, kept in test/histories. Every build must
// replay them and do the same things.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';

const FOLDER = join(__dirname, '..', 'histories');
/** Below the folder of all: those of the last release that have been recorded anew since. */
export const RELEASE_BEFORE = 'release-before';
/** Which of them were there at the last release, as `sha256sum` writes and checks it. */
const RELEASED = 'released.sha256';

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
  writeHistory(FOLDER, `${name.slice(0, 100)}.json`, `${JSON.stringify(scrub(json))}\n`);
}

/** Runs of the last release may still be on their way: what is replaced of it is kept beside, once. */
export function writeHistory(folder: string, file: string, text: string): void {
  const kept = join(folder, RELEASE_BEFORE, file);
  if (isReleased(folder, file) && !existsSync(kept)) {
    mkdirSync(join(folder, RELEASE_BEFORE), { recursive: true });
    copyFileSync(join(folder, file), kept);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Histories of the last release that are neither in the folder as they were nor kept beside. */
export function listLostHistories(folder = FOLDER): readonly string[] {
  return [...listReleased(folder)]
    .filter(([file, hash]) =>
      [file, join(RELEASE_BEFORE, file)].every(path => hashIfThere(join(folder, path)) !== hash),
    )
    .map(([file]) => file);
}

function isReleased(folder: string, file: string): boolean {
  const hash = listReleased(folder).get(file);
  return hash !== undefined && hash === hashIfThere(join(folder, file));
}

/** Names of files, each with its SHA-256 in hex. */
function listReleased(folder: string): ReadonlyMap<string, string> {
  const list = join(folder, RELEASED);
  const lines = existsSync(list) ? readFileSync(list, 'utf8').matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm) : [];
  return new Map([...lines].map(([, hash = '', file = '']) => [file, hash]));
}

function hashIfThere(path: string): string | undefined {
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : undefined;
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
