/** State of this process, for readiness; and the in-memory state of modules for the lifetime of one service. */
export type ServiceState = {
  /**
   * Set at SIGTERM: readiness returns 503 so that load balancers stop routing here, while requests are still served.
   */
  draining: boolean;
  /** When the next pass of each task is due, in `performance.now()` milliseconds. */
  taskDueAt: Map<string, number>;
  /** The database is embedded in a data directory locked by this process: no other instance uses it. */
  holdsDataDir: boolean;
};

export function newServiceState(): ServiceState {
  return { draining: false, taskDueAt: new Map(), holdsDataDir: false };
}

/**
 * One `T` for each service in the process, created on first use. Contexts are copied for every request, so the state is
 * keyed by service.
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
