/** What this process is doing, for readiness; and what a room keeps in memory for the life of one service. */
export type ServiceState = {
  /** Set at SIGTERM: readiness answers 503 so that balancers turn away, while requests are still served. */
  draining: boolean;
  /** When the turn of each task is to begin, or was to, in `performance.now()` milliseconds. */
  taskDueAt: Map<string, number>;
  /** Its database is embedded in a data directory that this process holds: no other instance works on it. */
  holdsDataDir: boolean;
};

export function newServiceState(): ServiceState {
  return { draining: false, taskDueAt: new Map(), holdsDataDir: false };
}

/**
 * One `T` for each service in the process, made when it is first asked for. Contexts are copied for every request;
 * their state is not, so it stands for the service.
 */
export function perService<C extends { state: ServiceState }, T extends object>(make: (ctx: C) => T): (ctx: C) => T {
  const made = new WeakMap<ServiceState, T>();
  return (ctx) => {
    const known = made.get(ctx.state);
    if (known) return known;
    const fresh = make(ctx);
    made.set(ctx.state, fresh);
    return fresh;
  };
}
