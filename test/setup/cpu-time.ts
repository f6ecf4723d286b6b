/**
 * For bounds on a computation: the CPU time of this process from here on, in milliseconds. A machine that has
 * other work makes it hardly longer, a clock on the wall would be late with it.
 */
export function startCpuTimer(): () => number {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
}
