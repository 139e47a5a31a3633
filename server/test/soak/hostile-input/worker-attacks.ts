import { randomUUID } from "node:crypto";
import { type Attack, ok } from "./attack.ts";
import { listOf, mapOf } from "./hostile-values.ts";

const lease = () => ({ run_id: randomUUID(), attempt: 1, lease_token: randomUUID() });
/** As many as a megabyte holds. */
const HELD = 6_500;

/** Requests of a worker that holds nothing of what it names. */
export const WORKER_ATTACKS: Record<string, Attack> = {
  "a heartbeat for 6,500 runs": async ({ api }) => {
    const runs = listOf(HELD, () => lease());
    return async () => ok(await api.post("/worker/v1/heartbeats", { worker_id: "w", runs }));
  },
  "a drain of 6,500 runs": async ({ api }) => {
    const runs = listOf(HELD, () => lease());
    return async () => ok(await api.post("/worker/v1/drain", { worker_id: "w", runs }));
  },
  "100 results, each with 70 log lines that are not valid": async ({ api }) => {
    const logs = listOf(70, (i) => ({ message: `line ${i}`, logged_at: "2999-01-01T00:00:00.000Z" }));
    const results = listOf(100, () => ({ ...lease(), status: "completed", result: null, logs }));
    return async () => ok(await api.post("/worker/v1/results", { worker_id: "w", results }));
  },
  "a result with 49,000 names": async ({ api }) => {
    const result = mapOf(49_000, (i) => i);
    const results = [{ ...lease(), status: "completed", result }];
    return async () => ok(await api.post("/worker/v1/results", { worker_id: "w", results }));
  },
  "a claim for 1,000 jobs that do not exist": async ({ api }) => {
    const jobs = listOf(1_000, (i) => `job-${i}`);
    const labels = Object.fromEntries(listOf(20, (i) => [`l${i}`, "x".repeat(256)]));
    return async () => {
      const claims = listOf(20, (i) => ({ worker_id: `w${i}`, claim_id: randomUUID(), jobs, info: { labels } }));
      await Promise.all(claims.map(async (claim) => ok(await api.post("/worker/v1/claims", claim))));
    };
  },
};
