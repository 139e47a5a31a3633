import { LRUCache } from "lru-cache";
import type { Ctx } from "../../../platform/context.ts";
import { perService } from "../../../platform/service-state.ts";
import type { ClaimedRun } from "../claim/claimed-run.ts";
import type { LeasedRun } from "../dispatch/outcome.ts";
import type { WorkerRun } from "./heartbeat-runs.ts";

type Lease = WorkerRun & { project_id: string };

/** Those of all workers of an instance at once; older ones are read again. */
const MAX_REMEMBERED = 20_000;

const leasesOf = perService(() => new LRUCache<string, LeasedRun>({ max: MAX_REMEMBERED }));

/** What the results of these runs need: usually they are reported to the instance that answered the claim. */
export function rememberLeases(ctx: Ctx, runs: readonly ClaimedRun[]): void {
  const leases = leasesOf(ctx);
  for (const run of runs) {
    const { project_id, run_id, job_version_id, attempt, lease_token } = run;
    const { tries_used, crash_count, max_attempts, slots } = run;
    const common = { project_id, run_id, job_version_id, attempt, lease_token };
    leases.set(leaseKey(run), { ...common, tries_used, crash_count, max_attempts, slots });
  }
}

/** Undefined: to be read. One that is found may have been lost since; settling compares it with the database. */
export function rememberedLease(ctx: Ctx, lease: Lease): LeasedRun | undefined {
  return leasesOf(ctx).get(leaseKey(lease));
}

export function forgetLease(ctx: Ctx, lease: Lease): void {
  leasesOf(ctx).delete(leaseKey(lease));
}

/** Of the lease, not only of the run: there may be results of an old lease and of the newest one. */
export function leaseKey({ project_id, run_id, attempt, lease_token }: Lease): string {
  return `${project_id} ${run_id} ${attempt} ${lease_token}`;
}
