import { setTimeout as pause } from "node:timers/promises";
import type { ProjectClient } from "./client.ts";

/** A machine that cannot keep up gets fewer triggers, instead of a backlog that the test process itself cannot handle. */
const MAX_OPEN = 200;

export type SteadyLoad = {
  /** Triggers that were acknowledged so far. */
  acknowledged: () => number;
  /** Stops issuing, and waits until every trigger issued has been acknowledged. */
  stop: () => Promise<void>;
};

/**
 * Triggers runs at a rate that hardly depends on the responses, at any instance that is up. A trigger without an
 * acknowledgement is repeated with its idempotency key until it has one: afterwards each must exist once.
 */
export function startSteadyLoad(client: ProjectClient, jobs: readonly string[], perSec: number): SteadyLoad {
  const open = new Set<Promise<unknown>>();
  const startedAt = performance.now();
  let issued = 0;
  let acknowledged = 0;
  let isOver = false;

  function issue(): void {
    const nth = issued++;
    const path = `/v1/jobs/${jobs[nth % jobs.length]}/trigger`;
    const call = client.insist(path, { payload: { nth }, idempotency_key: `load-${nth}` }).then(() => acknowledged++);
    open.add(call);
    void call.finally(() => open.delete(call));
  }

  const issuing = (async () => {
    while (!isOver) {
      const due = ((performance.now() - startedAt) / 1_000) * perSec;
      while (issued < due && open.size < MAX_OPEN) issue();
      await pause(10);
    }
  })();
  return {
    acknowledged: () => acknowledged,
    stop: async () => {
      isOver = true;
      await issuing;
      await Promise.all(open);
    },
  };
}
