// Calls a function of a module in a process of another time zone: within a test the zone is the
// machine's, and cannot be changed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';

const ROOT = join(__dirname, '..', '..');

/** Only for modules that import nothing but types. Answers what JSON keeps of the result. */
export function callInTimeZone(
  zone: string,
  file: string,
  name: string,
  ...input: readonly unknown[]
): unknown {
  const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const call = `process.stdout.write(JSON.stringify(exports.${name}(...${JSON.stringify(input)})) ?? 'null')`;
  const text = execFileSync(process.execPath, ['-e', `${code}\n${call}`], {
    env: { ...process.env, TZ: zone },
    encoding: 'utf8',
  });
  return JSON.parse(text);
}
