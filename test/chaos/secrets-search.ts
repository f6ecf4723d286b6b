// Looks for what must not be there: tokens, client secrets and the query of
// presigned addresses, in whatever bytes.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { Rig } from '../setup/rig';

export interface Secret {
  readonly name: string;
  readonly pattern: RegExp;
}

/** Bytes of one place, and where they were found. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

export interface Finding {
  readonly secret: string;
  readonly place: string;
  /** What stands before it; never the secret itself. */
  readonly before: string;
}

/** Every secret in every place, the first of each pair. */
export function searchPlaces(secrets: readonly Secret[], places: readonly Place[]): Finding[] {
  return places.flatMap(({ name, text }) =>
    secrets.flatMap(({ name: secret, pattern }) => {
      const found = pattern.exec(text);
      if (found === null) return [];
      const before = text.slice(Math.max(0, found.index - 120), found.index).replace(/[^\x20-\x7e]+/g, ' ');
      return [{ secret, place: name, before }];
    }),
  );
}

/** All files below a folder, as bytes in one-byte characters. */
export function filesBelow(
  folder: string,
  name: string,
  isLeftOut: (path: string) => boolean = () => false,
): Place[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !isLeftOut(path))
    .flatMap(path => {
      const text = readIfThere(path);
      return text === undefined ? [] : [{ name: `${name} ${path.slice(folder.length + 1)}`, text }];
    });
}

/** A database that is in use removes its journals at any time. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The histories of all runs, as they are kept and with their payloads decoded;
 * summaries, memos and headers with them.
 */
export async function historiesOf(rig: Rig): Promise<Place[]> {
  const places: Place[] = [];
  const { workflow } = rig.temporal.client;
  for await (const { workflowId, runId } of workflow.list()) {
    const handle = workflow.getHandle(workflowId, runId);
    const json = historyToJSON(await handle.fetchHistory());
    places.push({ name: `history ${workflowId}`, text: `${json}\n${decodePayloads(json)}` });
    places.push(await describeRun(rig, workflowId));
  }
  return places;
}

/**
 * What the server tells of a run now: pending activities with their heartbeats
 * and last failures, memo, details.
 */
export async function describeRun(rig: Rig, workflowId: string): Promise<Place> {
  const { raw } = await rig.temporal.client.workflow.getHandle(workflowId).describe();
  const json = JSON.stringify(raw, (_, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
    return typeof value === 'bigint' ? String(value) : value;
  });
  return { name: `description ${workflowId}`, text: `${json}\n${decodePayloads(json)}` };
}

/** Payload data is Base64 in the JSON form: a secret would hide in it. */
function decodePayloads(json: string): string {
  return [...json.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)]
    .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
    .join('\n');
}
