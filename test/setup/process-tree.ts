// Processes that a process has started, and theirs, by Linux's own list.
import { readdirSync, readFileSync } from 'node:fs';

/** Fields of `/proc/<pid>/stat` behind the program's name, which stands in brackets and may hold anything. */
export function statFields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** None for a process that has ended. */
export function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const [, parent] = statFields(readFileSync(`/proc/${name}/stat`, 'utf8'));
        return [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return [];
      }
    });
  const childrenOf = (of: number): number[] =>
    parents.filter(({ parent }) => parent === of).flatMap(each => [each.pid, ...childrenOf(each.pid)]);
  return childrenOf(pid);
}
