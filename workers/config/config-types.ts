// What the parts of the configuration are read with, and what they find wrong.

export type Environment = Readonly<Record<string, string | undefined>>;

/** What reading a section takes besides its text. */
export interface ConfigReading {
  readonly environment: Environment;
  /** Relative paths of files that the section names begin here. */
  readonly folder: string;
  /** `leave`: secrets that cannot be had are left empty, for commands that never talk to the service. */
  readonly secrets: 'read' | 'leave';
}

export interface ConfigFault {
  /** Dotted path in the file, or the name of an environment variable. */
  readonly path: string;
  /** What is wrong and what is expected; never a secret. */
  readonly text: string;
}
