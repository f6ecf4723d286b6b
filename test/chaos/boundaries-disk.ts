// Boundaries on the disk: before and after everything that changes the share or the state folder.
// Wraps the functions of node:fs in the process that is to be killed; the product calls them through
// the module and notices nothing.
import * as fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { PassBoundary } from './boundaries-counter';
import { nameTarget, type Roots } from './boundaries-names';

type AnyFunction = (...args: unknown[]) => unknown;
type Wrappable = Record<string, unknown>;

/** Name of the operation and which argument is the place that changes. */
const PROMISED: Readonly<Record<string, number>> = {
  rename: 1,
  link: 1,
  unlink: 0,
  mkdir: 0,
  rmdir: 0,
  rm: 0,
  copyFile: 1,
  writeFile: 0,
  appendFile: 0,
  utimes: 0,
};
const SYNCHRONOUS: Readonly<Record<string, number>> = {
  renameSync: 1,
  linkSync: 1,
  unlinkSync: 0,
  mkdirSync: 0,
  rmSync: 0,
  writeFileSync: 0,
  appendFileSync: 0,
};
const OF_A_HANDLE = ['write', 'writeFile', 'appendFile', 'truncate', 'utimes', 'sync', 'datasync'] as const;

export function watchDisk(roots: Roots, pass: PassBoundary): void {
  const nameOf = (path: unknown): string | undefined => {
    if (typeof path !== 'string' && !Buffer.isBuffer(path)) return undefined;
    return nameTarget(byPath(path.toString()), roots);
  };
  const promises = fs.promises as unknown as Wrappable;
  for (const [operation, at] of Object.entries(PROMISED)) {
    const original = promises[operation] as AnyFunction;
    promises[operation] = (...args: unknown[]) => {
      const target = nameOf(args[at]);
      if (target === undefined) return original(...args);
      return around(`${operation} ${target}`, pass, () => original(...args) as Promise<unknown>);
    };
  }
  const open = promises.open as (...args: unknown[]) => Promise<FileHandle>;
  promises.open = async (...args: unknown[]) => {
    const target = nameOf(args[0]);
    if (target === undefined || !isForWriting(args[1])) return await open(...args);
    const handle = await around(`open ${target}`, pass, () => open(...args));
    watchHandle(handle, target, pass);
    return handle;
  };
  watchSynchronous(nameOf, pass);
}

/** Names in a folder that is held open are written behind its descriptor. */
function byPath(path: string): string {
  const [, folder, rest] = /^(\/proc\/self\/fd\/\d+)\/(.*)$/s.exec(path) ?? [];
  if (folder === undefined) return path;
  try {
    return `${fs.readlinkSync(folder)}/${rest}`;
  } catch {
    return path;
  }
}

function watchSynchronous(nameOf: (path: unknown) => string | undefined, pass: PassBoundary): void {
  const module = require('node:fs') as Wrappable;
  for (const [operation, at] of Object.entries(SYNCHRONOUS)) {
    const original = module[operation] as AnyFunction;
    const name = operation.replace('Sync', '');
    module[operation] = (...args: unknown[]) => {
      const target = nameOf(args[at]);
      if (target === undefined) return original(...args);
      pass(`${name} ${target} before`);
      const answer = original(...args);
      pass(`${name} ${target} after`);
      return answer;
    };
  }
  const opened = new Map<unknown, string>();
  const openSync = module.openSync as AnyFunction;
  module.openSync = (...args: unknown[]) => {
    const target = nameOf(args[0]);
    const file = openSync(...args);
    // A number may be given again to another file.
    opened.delete(file);
    if (target !== undefined && isForWriting(args[1])) opened.set(file, target);
    return file;
  };
  const writeSync = module.writeSync as AnyFunction;
  module.writeSync = (...args: unknown[]) => {
    const target = opened.get(args[0]);
    if (target === undefined) return writeSync(...args);
    pass(`write ${target} before`);
    const written = writeSync(...args);
    pass(`write ${target} after`);
    return written;
  };
}

function watchHandle(handle: FileHandle, target: string, pass: PassBoundary): void {
  const wrappable = handle as unknown as Wrappable;
  for (const operation of OF_A_HANDLE) {
    const original = (wrappable[operation] as AnyFunction).bind(handle);
    const name = operation === 'sync' || operation === 'datasync' ? 'sync' : 'write';
    wrappable[operation] = (...args: unknown[]) =>
      around(`${name} ${target}`, pass, () => original(...args) as Promise<unknown>);
  }
}

/** What fails has changed nothing, so there is nothing after it. */
async function around<Result>(
  name: string,
  pass: PassBoundary,
  work: () => Promise<Result>,
): Promise<Result> {
  pass(`${name} before`);
  const result = await work();
  pass(`${name} after`);
  return result;
}

function isForWriting(flags: unknown): boolean {
  if (typeof flags === 'number') {
    return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0;
  }
  return typeof flags === 'string' && flags !== 'r' && flags !== 'rs';
}
