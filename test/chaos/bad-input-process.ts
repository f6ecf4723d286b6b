// One kind of bad input in a process of its own: what it brings down is seen from outside.
import { tryAnswers } from './bad-input-answers';
import { tryConfigs } from './bad-input-config';
import type { KindResult, KindRun } from './bad-input-kind';
import { tryNames } from './bad-input-names';
import { tryRecords } from './bad-input-records';
import { tryRows } from './bad-input-rows';
import { trySheets } from './bad-input-sheets';

const KINDS: Readonly<Record<string, (run: KindRun) => Promise<KindResult>>> = {
  names: tryNames,
  config: tryConfigs,
  records: tryRecords,
  answers: tryAnswers,
  rows: tryRows,
  sheets: trySheets,
};

const [kind = '', order = '{}'] = process.argv.slice(2);
const run = KINDS[kind];
if (run === undefined) throw new Error(`There is no kind ${kind}.`);
run(JSON.parse(order) as KindRun).then(
  result => process.send?.(result, () => process.exit()),
  (error: unknown) => {
    // Thrown out of the kind itself: seen as a crash.
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
