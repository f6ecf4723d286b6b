// Asks a program whether it is a Temporal CLI that we can use.
import { execFile } from 'node:child_process';
import { hasCode } from '../../activities/host/error-code';
import type { SystemCode } from '../../activities/host/file-trouble';

import { childEnvironment } from './child-environment';

// Updates, user-facing summaries and details on workflows are there from this server on.
const LEAST_SERVER = [1, 26] as const;
const PROBE_TIMEOUT_MS = 30_000;

export type ProbeOutcome =
  | { readonly kind: 'usable'; readonly cliVersion: string; readonly serverVersion: string }
  | { readonly kind: 'unusable'; readonly why: string };

/** Runs `<path> --version` and judges what it prints. Never throws. */
export async function probeTemporalCli(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ProbeOutcome> {
  const version = await runVersion(path, environment);
  if ('why' in version) return { kind: 'unusable', why: version.why };
  const [, cliVersion, serverVersion] =
    /temporal version v?(\S+) \(Server v?(\d+\.\d+\.\d+)/i.exec(version.output) ?? [];
  if (cliVersion === undefined || serverVersion === undefined) {
    return { kind: 'unusable', why: 'it is not the Temporal CLI with a server in it' };
  }
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  const isNewEnough = major > LEAST_SERVER[0] || (major === LEAST_SERVER[0] && minor >= LEAST_SERVER[1]);
  return isNewEnough
    ? { kind: 'usable', cliVersion, serverVersion }
    : {
        kind: 'unusable',
        why: `it is too old: server ${serverVersion}, needed is ${LEAST_SERVER.join('.')}`,
      };
}

function runVersion(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly output: string } | { readonly why: string }> {
  return new Promise(resolve => {
    execFile(
      path,
      ['--version'],
      { timeout: PROBE_TIMEOUT_MS, env: childEnvironment(environment), maxBuffer: 64 * 1024 },
      (error, stdout) => {
        if (error === null) resolve({ output: stdout });
        else resolve({ why: describeFailure(error) });
      },
    );
  });
}

/** Codes of starting a program: the table of those of file systems says other things by them. */
function describeFailure(error: { code?: unknown; killed?: boolean; signal?: unknown }): string {
  if (hasCode<SystemCode>(error, 'ENOENT')) return 'there is no such file';
  if (hasCode<SystemCode>(error, 'EACCES')) return 'it may not be executed';
  if (error.killed === true) return `it gave no answer within ${PROBE_TIMEOUT_MS / 1_000} s`;
  return `it does not run (${String(error.code ?? error.signal)})`;
}
