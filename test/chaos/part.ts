// What the chaos suite is made of: parts that run one after the other, each judged by what it finds on the
// service and on the share, never by itself.

/** Something that must never be. */
export interface Violation {
  /** Number of the invariant or a short name for it, for example `2 one revision a document`. */
  readonly invariant: string;
  /** Which case: enough to run it again, for example `seed 17` or `kill fs.rename before #4`. */
  readonly case: string;
  readonly what: string;
}

export interface PartOptions {
  /** `short`: the form that a landing needs, minutes; `long`: everything. */
  readonly form: 'short' | 'long';
  /** The same seed asks for the same faults. */
  readonly seed: number;
  /** Root of the built product that is run: a copy of it when a bug was put in on purpose. */
  readonly dist: string;
  /** Only cases whose name contains this. */
  readonly only?: string | undefined;
  /** Folder in which parts of many cases note what ended, and go on from there when they are broken off. */
  readonly record?: string | undefined;
  /** Address of the Temporal server that parts share; each case takes a namespace of its own. */
  readonly temporalAddress: string;
  /** The Temporal CLI, for parts that kill a server of their own. */
  readonly temporalCli: string;
  /** Cases that run at one time. */
  readonly atOnce: number;
  /** Told to people while it runs. */
  readonly say: (line: string) => void;
}

export interface PartResult {
  readonly cases: number;
  readonly violations: readonly Violation[];
  /** Counts for the table at the end, in the order given. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** Further tables, such as the coverage of the fault matrix; printed as they are. */
  readonly tables?: readonly string[] | undefined;
}

/** What became of a part, with its name. */
export interface PartReport extends PartResult {
  readonly part: string;
  readonly seconds: number;
}

export interface ChaosPart {
  /** As it is asked for on the command line. */
  readonly name: string;
  /** One line for `--help`. */
  readonly about: string;
  /** `much memory`: no other such part beside it; `the machine for itself`: nothing beside it. */
  readonly needs?: 'much memory' | 'the machine for itself';
  run(options: PartOptions): Promise<PartResult>;
}
