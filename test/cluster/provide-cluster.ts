// A Temporal cluster as the compose file describes it, with all programs that it needs: found, or made now.
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { resolveTemporalCli } from '../../workers/temporal/temporal-cli';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { type BuildInput, provideProgram, TEMPORAL_SERVER } from './built-programs';
import { type ComposeFile, readComposeFile } from './compose-file';
import { findFixedPorts } from './fixed-ports';
import { findPostgresql } from './postgresql';
import { TEMPORAL_PORTS, TemporalCluster } from './temporal-cluster';

const DIST = resolve(__dirname, '..', '..');
const ROOT = resolve(DIST, '..');

export interface ProvidedCluster {
  readonly temporal: TemporalCluster;
  readonly compose: ComposeFile;
  /**
   * As many as were asked for; the first two are those of the service and its sign-in in the compose file.
   */
  readonly ports: readonly number[];
}

/** @param folder has `logs` in it, and may be entered by the user that PostgreSQL runs as. */
export async function provideCluster(
  folder: string,
  needs: BuildInput,
  otherPorts: number,
): Promise<ProvidedCluster> {
  const { reporter, signal } = needs;
  const postgresqlPrograms = await findPostgresql(needs);
  reporter.say(`PostgreSQL: ${postgresqlPrograms}`);
  const cli = await resolveTemporalCli(needs);
  const temporalPrograms = await provideProgram(TEMPORAL_SERVER, needs);
  const all = await findFixedPorts(TEMPORAL_PORTS + otherPorts);
  const ports = all.slice(TEMPORAL_PORTS);
  const [api = 0, auth = 0] = ports;
  const file = join(ROOT, 'docker-compose.temporal.yml');
  const compose = await readComposeFile({
    ...needs,
    file,
    variables: {
      POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
      DRAWBRIDGE_SERVICE__BASE_URL: `http://127.0.0.1:${api}`,
      DRAWBRIDGE_SERVICE__AUTH_URL: `http://127.0.0.1:${auth}`,
      DRAWBRIDGE_SERVICE__CLIENT_ID: DEFAULT_CREDENTIALS.clientId,
    },
  });
  reporter.say(`docker compose config: ${file} is valid, ${Object.keys(compose.services).length} services`);
  const temporal = new TemporalCluster({
    compose,
    folder,
    logs: join(folder, 'logs'),
    ports: all.slice(0, TEMPORAL_PORTS),
    postgresqlPrograms,
    temporalPrograms,
    cli: cli.path,
    signal,
  });
  return { temporal, compose, ports };
}
