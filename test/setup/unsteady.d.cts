// The types of unsteady.cjs: what of jest's results it reads.
export interface FileResult {
  /** Absolute path. */
  readonly name: string;
  readonly status: string;
}
export interface SuiteResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly (FileResult & {
    readonly assertionResults: readonly { readonly status: string }[];
  })[];
}
type Run = (files: readonly string[]) => Promise<{ readonly testResults: readonly FileResult[] }>;

export function filesToLookAt(results: SuiteResults): readonly string[];
export function findUnsteady(
  files: readonly string[],
  run: Run,
  now?: () => number,
): Promise<readonly string[]>;
export function countWithout(
  results: SuiteResults,
  unsteady: readonly string[],
): { passed: number; failed: number };
