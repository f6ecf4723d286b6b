// docker-compose.temporal.yml as `docker compose config` reads it: checked, its variables filled in. The
// cluster takes from it what each part is told, so that what runs without Docker is what would run with it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../workers/temporal/child-environment';
import { type BuildInput, DOCKER_COMPOSE, provideProgram } from './built-programs';

const run = promisify(execFile);

export interface ComposeService {
  readonly command?: readonly string[] | null;
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly restart?: string;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
}

export interface ReadComposeInput extends BuildInput {
  readonly file: string;
  /** Values for the variables of the file. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Throws what compose has against the file. Says which compose was used. */
export async function readComposeFile(input: ReadComposeInput): Promise<ComposeFile> {
  const { command, args } = await findCompose(input);
  const options = {
    env: { ...childEnvironment(input.environment), ...input.variables },
    signal: input.signal,
  };
  const { stdout } = await run(command, [...args, '-f', input.file, 'config', '--format', 'json'], options);
  return JSON.parse(stdout) as ComposeFile;
}

/** What a part is told, with the addresses and paths of this machine in the place of the containers'. */
export function environmentOf(
  { services }: ComposeFile,
  name: string,
  instead: Readonly<Record<string, string>>,
): Record<string, string> {
  const service = services[name];
  if (service === undefined) throw new Error(`The compose file has no service ${name}.`);
  const told = Object.entries(service.environment ?? {}).flatMap(([variable, value]) =>
    value === null ? [] : [[variable, sourceOf(service, value)] as const],
  );
  const environment = Object.fromEntries(told);
  for (const variable of Object.keys(instead)) {
    if (environment[variable] === undefined) {
      throw new Error(`The compose file does not set ${variable} for ${name}.`);
    }
  }
  return { ...environment, ...instead };
}

/** A mounted file is where it was mounted from. */
function sourceOf({ volumes = [] }: ComposeService, path: string): string {
  return volumes.find(volume => volume.type === 'bind' && volume.target === path)?.source ?? path;
}

async function findCompose(input: BuildInput): Promise<{ command: string; args: string[] }> {
  try {
    const { stdout } = await run('docker', ['compose', 'version', '--short'], { signal: input.signal });
    input.reporter.say(`docker compose ${stdout.trim()} (plugin)`);
    return { command: 'docker', args: ['compose'] };
  } catch {
    input.signal.throwIfAborted();
    const folder = await provideProgram(DOCKER_COMPOSE, input);
    return { command: join(folder, 'docker-compose'), args: [] };
  }
}
