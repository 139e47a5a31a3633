/** The milliseconds that this process computes from now on: those in which a busy machine lets it wait are not its own. */
export function cpuTimer(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}
