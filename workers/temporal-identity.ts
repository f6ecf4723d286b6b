// Which Temporal this process works for, as a share can tell it from others: by the id of its namespace, which another
// server, another namespace and a database begun anew do not have. Addresses and names say nothing of that.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { OurTemporal } from '../activities/share/hold';

/** What a connection of a client and one of a worker have in common. */
interface AsksTemporal {
  readonly workflowService: {
    describeNamespace(request: {
      namespace: string;
    }): Promise<{ readonly namespaceInfo?: { readonly id?: string | null } | null }>;
  };
}

export interface TemporalIdentityInput {
  readonly connection: AsksTemporal;
  readonly namespace: string;
  /** host:port. */
  readonly address: string;
  readonly stateDir: string;
}

/** A database can be replaced under a process that lives on. */
const FRESH_MS = 10_000;
const MOST_FORMER = 20;
const FILE = 'temporals.json';

const memorySchema = z.strictObject({
  version: z.literal(1),
  /** By address and namespace: every id that ever answered there, the newest last. */
  ids: z.record(z.string(), z.array(z.string()).max(MOST_FORMER + 1)),
});
type Memory = z.infer<typeof memorySchema>;

/** @returns who answers by this address now. While nobody does, the last one known; rejects when there was none yet. */
export function createTemporalIdentity(input: TemporalIdentityInput): () => Promise<OurTemporal> {
  const { connection, namespace, address, stateDir } = input;
  let known: OurTemporal | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<OurTemporal> => {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id ?? '';
    if (id === '') throw new Error(`Temporal at ${address} gives no id of its namespace ${namespace}`);
    const former = known?.id === id ? known.former : remember(stateDir, `${address} ${namespace}`, id);
    return { id, namespace, address, host: hostname(), former };
  };
  return async () => {
    if (known !== undefined && performance.now() - askedMs < FRESH_MS) return known;
    try {
      known = await ask();
      askedMs = performance.now();
    } catch (error) {
      if (known === undefined) throw error;
    }
    return known;
  };
}

/** Notes the id, and answers those that were there before it. */
function remember(stateDir: string, key: string, id: string): readonly string[] {
  const file = join(stateDir, FILE);
  const memory = read(file);
  const before = memory.ids[key] ?? [];
  const former = before.filter(each => each !== id).slice(-MOST_FORMER);
  if (before.at(-1) !== id) {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const temporary = `${file}.${process.pid}`;
    const next: Memory = { version: 1, ids: { ...memory.ids, [key]: [...former, id] } };
    writeFileSync(temporary, JSON.stringify(next), { mode: 0o600 });
    renameSync(temporary, file);
  }
  return former;
}

/** What cannot be read is as good as not known: then the others are watched for longer. */
function read(file: string): Memory {
  try {
    return memorySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { version: 1, ids: {} };
  }
}
