// A Temporal server of the tests, on a port of its own.
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedTemporal, startEmbeddedTemporal } from '../../workers/temporal/embedded-temporal';
import { findFreePorts } from './free-port';

export interface TestServerInput {
  /** The CLI's path. */
  readonly cli: string;
  /** Its log lies here. */
  readonly folder: string;
  readonly logLevel?: 'warn' | 'error';
  /** Further settings of the server, `key=JSON`. */
  readonly dynamicConfig?: readonly string[];
}

/** Folders whose files are kept in memory: nobody looks at these databases after a power cut. */
const MEMORY_FOLDER = '/dev/shm';

/**
 * The server has workers of its own in each namespace, for schedules and the like, which nobody here uses.
 * Every suite has a namespace: together they poll all the time.
 */
const NO_WORKERS_OF_ITS_OWN = 'worker.perNamespaceWorkerCount=0';

/**
 * Starts one whose database is a file, as the product's is. Without a file the whole database belongs to one
 * connection of the server, which is closed when a query of it is interrupted, as on a busy machine: from then
 * on there is no namespace and no run of any test.
 */
export async function startTestServer(input: TestServerInput): Promise<EmbeddedTemporal> {
  const { cli, folder, logLevel = 'warn', dynamicConfig = [] } = input;
  const [port = 0] = await findFreePorts(1);
  const databaseFolder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'drawbridge-temporal-'));
  const forget = () => rmSync(databaseFolder, { recursive: true, force: true });
  try {
    const server = await startEmbeddedTemporal({
      cli,
      port,
      database: join(databaseFolder, 'temporal.db'),
      logFile: join(folder, `temporal-${port}.log`),
      logLevel,
      dynamicConfig: [NO_WORKERS_OF_ITS_OWN, ...dynamicConfig],
    });
    return { ...server, stop: async () => await server.stop().finally(forget) };
  } catch (error) {
    forget();
    throw error;
  }
}

function memoryFolder(): string | undefined {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    return MEMORY_FOLDER;
  } catch {
    return undefined;
  }
}
