/** What this process is doing, for readiness. */
export type ServiceState = {
  /** Set at SIGTERM: readiness answers 503 so that balancers turn away, while requests are still served. */
  draining: boolean;
  /** When each duty last came back, in `performance.now()` milliseconds. */
  dutySeenAt: Map<string, number>;
};

export function newServiceState(): ServiceState {
  return { draining: false, dutySeenAt: new Map() };
}
