// How a command ends when it cannot do what was asked: one clear paragraph and a
// number that scripts can tell apart.

/** Documented in docs/configuration.md. */
export const EXIT_CODES = {
  done: 0,
  failed: 1,
  usage: 2,
  alreadyRunning: 3,
  attention: 4,
  noTemporal: 5,
  endedAtOnce: 130,
} as const;

/** Its message is shown as it stands; the stack only with --verbose. */
export class CliError extends Error {
  readonly code = 'CLI';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.failed, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

/** The number a process should end with after this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'CONFIG_INVALID') return EXIT_CODES.usage;
  if (code === 'DATABASE_TAKEN') return EXIT_CODES.alreadyRunning;
  if (
    code === 'NO_TEMPORAL_CLI' ||
    code === 'PORT_TAKEN' ||
    code === 'NOT_STARTED' ||
    code === 'TEMPORAL_AWAY'
  ) {
    return EXIT_CODES.noTemporal;
  }
  return EXIT_CODES.failed;
}
