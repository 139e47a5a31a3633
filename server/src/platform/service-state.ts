/** What this process is doing, for readiness. */
export type ServiceState = {
  /** Set at SIGTERM: readiness answers 503 so that balancers turn away, while requests are still served. */
  draining: boolean;
  /** When the turn of each duty is to begin, or was to, in `performance.now()` milliseconds. */
  dutyDueAt: Map<string, number>;
};

export function newServiceState(): ServiceState {
  return { draining: false, dutyDueAt: new Map() };
}
