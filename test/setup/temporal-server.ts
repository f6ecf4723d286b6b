// A Temporal server of the tests, on a port of its own.
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeepRunningInput, keepRunning } from '../../client/run/keep-running';
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
  readonly asking?: KeepRunningInput['asking'];
}

/** Not when it ends: another one takes its place. */
export interface TestServer extends Pick<EmbeddedTemporal, 'address' | 'answers' | 'stop'> {
  readonly logFile: string;
}

/** Folders whose files are kept in memory: nobody looks at these databases after a power cut. */
const MEMORY_FOLDER = '/dev/shm';

/**
 * The server has workers of its own in each namespace, for schedules and the like, which nobody here uses.
 * Every suite has a namespace: together they poll all the time.
 */
const NO_WORKERS_OF_ITS_OWN = 'worker.perNamespaceWorkerCount=0';

/**
 * Once a statement of its database is interrupted in the wrong moment, as on a busy machine, every later one
 * is, and no test gets a namespace any more. It says so at once; a server that is merely slow takes its time.
 */
const ASKING = { everyMs: 2_000, silentForMs: 10_000 };

/**
 * Starts one whose database is a file, as the product's is: without a file the whole database is gone with
 * the connection whose query was interrupted. Started anew on the same port and file when it does not answer.
 */
export async function startTestServer(input: TestServerInput): Promise<TestServer> {
  const { cli, folder, logLevel = 'warn', dynamicConfig = [], asking = ASKING } = input;
  const [port = 0] = await findFreePorts(1);
  const databaseFolder = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'drawbridge-temporal-'));
  const logFile = join(folder, `temporal-${port}.log`);
  const forget = () => rmSync(databaseFolder, { recursive: true, force: true });
  const start = () =>
    startEmbeddedTemporal({
      cli,
      port,
      database: join(databaseFolder, 'temporal.db'),
      logFile,
      logLevel,
      dynamicConfig: [NO_WORKERS_OF_ITS_OWN, ...dynamicConfig],
    });
  try {
    const first = await start();
    const say = (what: string) => void process.stderr.write(`The Temporal server of the tests ${what}\n`);
    const kept = keepRunning({
      first,
      again: start,
      onEnded: () => say('has ended by itself; it is started again'),
      onSilent: () => say('does not answer; it is started anew'),
      onBack: () => say('is back'),
      asking,
    });
    kept.failed.catch((error: unknown) => say(`is not there any more: ${String(error)}`));
    const { address, answers } = first;
    return { address, answers, logFile, stop: async () => await kept.stop().finally(forget) };
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
