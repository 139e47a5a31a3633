import pg from "pg";
import { claimLimited } from "../../src/flow/runs/claim/claim-limited.ts";
import { claimRuns } from "../../src/flow/runs/claim/claim-runs.ts";
import type { ClaimedRun } from "../../src/flow/runs/claim/claimed-run.ts";
import { prepareRun, type Trigger } from "../../src/flow/runs/create/prepare-run.ts";
import { triggerRuns } from "../../src/flow/runs/create/trigger-runs.ts";
import { findTriggerableJob } from "../../src/flow/runs/create/triggerable-job.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { runSql, type TestConnection } from "./database.ts";
import { until } from "./until.ts";
import type { TestProject } from "./world.ts";

/** Helpers for tests of the queue: jobs, thousands of queued runs, claims without a dispatch, gates. */

export type TestJob = { id: string; project_id: string; host: string; path: string };

const BATCH = 500;

/** Runs queue per host: jobs that must not share a lane have different endpoints. */
let nextPort = 1_025;

/** A job with a separate lane, unless an endpoint is given. Nothing listens there. */
export async function makeJob({ api }: Pick<TestProject, "api">, fields: object = {}): Promise<TestJob> {
  const endpoint_url = `http://127.0.0.1:${nextPort++}/`;
  const response = await api.post("/v1/jobs", { name: "Queued", endpoint_url, ...fields });
  if (response.status !== 201) throw new Error(`no job: ${response.text}`);
  const { id, project_id } = response.body;
  return { id, project_id, host: new URL(response.body.endpoint_url).host, path: `/v1/jobs/${id}` };
}

/** Triggers runs in batches, like concurrent calls. Returns their ids, in order. */
export async function fillQueue(ctx: Ctx, job: TestJob, triggers: number | Partial<Trigger>[]): Promise<string[]> {
  const wanted = typeof triggers === "number" ? Array.from({ length: triggers }, () => ({})) : triggers;
  const found = await findTriggerableJob(ctx, job.project_id, job.id);
  if (!found) throw new Error("no such job");
  const ids: string[] = [];
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH);
    const runs = batch.map((trigger) => prepareRun(found, { created_by: "test", trigger_type: "api", ...trigger }));
    for (const { kind } of await triggerRuns(ctx, runs)) if (kind !== "created") throw new Error(kind);
    ids.push(...runs.map((run) => run.id));
  }
  return ids;
}

/** Claims up to `share` runs of the job's lane, regardless of limits, and dispatches none. */
export async function claimSome(ctx: Ctx, { project_id, host }: TestJob, share = 1): Promise<ClaimedRun[]> {
  const { claimed, unchecked } = await claimRuns(ctx, [{ project_id, host, share, bound: "-infinity" }]);
  return [...claimed, ...(await claimLimited(ctx, unchecked))];
}

export async function claimOne(ctx: Ctx, job: TestJob): Promise<ClaimedRun> {
  const [run] = await claimSome(ctx, job);
  if (!run) throw new Error("nothing to claim");
  return run;
}

export type Gate = { open: () => Promise<void> };

/**
 * Holds the locks of a statement in a separate transaction. Open the gate within five seconds, the statement timeout.
 */
export async function holdGate(connection: TestConnection, statement: string, values: unknown[] = []): Promise<Gate> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query("begin");
  await client.query(statement, values);
  return {
    open: async () => {
      await client.query("commit");
      await client.end();
    },
  };
}

/** What the claim of a worker on another instance has written for one queued run, and not committed yet. */
export function holdClaim(connection: TestConnection, project_id: string, claim_id: string): Promise<Gate> {
  return holdGate(
    connection,
    `with one as (
      update run_queue set lease_until = now() + interval '1 minute', lease_token = gen_random_uuid(), blocked_on = null,
        deadline = now() + interval '1 minute', worker_id = 'w1', claim_id = $2, first_of_claim = $2
      where ctid = (select ctid from run_queue where project_id = $1 order by run_id limit 1) returning run_id
    )
    update runs set prev_status = status, status = 'running', attempt = 1, transition_count = 2, derived_transitions = 2,
      started_at = now() where project_id = $1 and id = (select run_id from one)`,
    [project_id, claim_id],
  );
}

/** Waits until this many sessions of the database wait for a lock. */
export async function whenBlocked(connection: TestConnection, sessions = 1): Promise<void> {
  await until(`${sessions} sessions to wait for a lock`, 20_000, async () => {
    const [row] = await runSql<{ waiting: number }>(
      connection,
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return (row?.waiting ?? 0) >= sessions;
  });
}

/** Makes the statements that wait for a lock fail, as on a lock timeout. */
export async function giveUpBlocked(connection: TestConnection): Promise<void> {
  await whenBlocked(connection);
  await runSql(
    connection,
    `select pg_cancel_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
}
