/** Measures the CPU milliseconds that this process uses from now on, without the time it waits on a busy machine. */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
