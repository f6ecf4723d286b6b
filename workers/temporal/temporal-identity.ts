// Which Temporal this process works for, as a share can tell it from others: by the id of its
// namespace, which another server, another namespace and a database begun anew do not have. Addresses
// and names say nothing of that.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../../activities/host/clock';
import { codeOf } from '../../activities/host/error-code';
import { IncidentLog } from '../../activities/host/incident-log';
import type { OurTemporal } from '../../activities/share/batch/hold';

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
  readonly logger?:
    | {
        info(facts: Readonly<Record<string, unknown>>, message: string): void;
        warn(facts: Readonly<Record<string, unknown>>, message: string): void;
      }
    | undefined;
}

/** Asked again after this: the server's database can be replaced while our process lives on. */
const FRESH_MS = 10_000;
const MOST_FORMER = 20;
const FILE = 'temporals.json';

const memorySchema = z.strictObject({
  version: z.literal(1),
  /** By address and namespace: every id that ever answered there, the newest last. */
  ids: z.record(z.string(), z.array(z.string()).max(MOST_FORMER + 1)),
});
type MemoryContent = z.infer<typeof memorySchema>;

const UNWRITABLE =
  'The state folder cannot be written: which Temporal this is cannot be noted for later. The work goes on.';

/**
 * @returns asks which Temporal answers at this address now. While none does, it gives the last one known;
 * it rejects when none is known yet. An id that cannot be noted (the disk is full) is logged once and
 * noted later; the result is the same.
 */
export function createTemporalIdentity(input: TemporalIdentityInput): () => Promise<OurTemporal> {
  const { connection, namespace, address, stateDir } = input;
  const memory = new Memory(join(stateDir, FILE), input.logger);
  let known: OurTemporal | undefined;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = async (): Promise<OurTemporal> => {
    const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
    const id = namespaceInfo?.id ?? '';
    if (id === '') throw new Error(`Temporal at ${address} gives no id of its namespace ${namespace}`);
    return { id, namespace, address, host: hostname(), former: memory.note(`${address} ${namespace}`, id) };
  };
  return async () => {
    if (known !== undefined && systemClock.monotonicMs() - askedMs < FRESH_MS) return known;
    try {
      known = await ask();
      askedMs = systemClock.monotonicMs();
    } catch (error) {
      if (known === undefined) throw error;
    }
    return known;
  };
}

/** The ids that this host has met, in a file of the state folder. */
class Memory {
  readonly #file: string;
  readonly #logger: TemporalIdentityInput['logger'];
  readonly #incidents = new IncidentLog();
  /** The id that is known to be in the file, with those before it: the file need not be read for it. */
  #noted: { readonly id: string; readonly former: readonly string[] } | undefined;

  constructor(file: string, logger: TemporalIdentityInput['logger']) {
    this.#file = file;
    this.#logger = logger;
  }

  /** Notes the id, and returns those that were there before it. */
  note(key: string, id: string): readonly string[] {
    if (this.#noted?.id === id) return this.#noted.former;
    const { ids } = read(this.#file);
    const before = ids[key] ?? [];
    const former = before.filter(each => each !== id).slice(-MOST_FORMER);
    const isNoted =
      before.at(-1) === id || this.#replace({ version: 1, ids: { ...ids, [key]: [...former, id] } });
    if (isNoted) this.#noted = { id, former };
    return former;
  }

  #replace(content: MemoryContent): boolean {
    const temporary = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch (error) {
      rmSync(temporary, { force: true });
      const code = codeOf(error);
      if (this.#incidents.begins('unwritable'))
        this.#logger?.warn({ event: 'state-unwritable', code }, UNWRITABLE);
      return false;
    }
    if (this.#incidents.ends('unwritable'))
      this.#logger?.info({ event: 'state-writable' }, 'The state folder takes notes again.');
    return true;
  }
}

/** A file that cannot be read counts as empty: former Temporals are then watched longer before take-over. */
function read(file: string): MemoryContent {
  try {
    return memorySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { version: 1, ids: {} };
  }
}
