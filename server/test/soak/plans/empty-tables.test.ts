import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { claimLimited } from "../../../src/flow/runs/claim/claim-limited.ts";
import { claimPulledRuns } from "../../../src/flow/runs/claim/claim-pulled-runs.ts";
import { renewLeases } from "../../../src/flow/runs/claim/renew-leases.ts";
import type { Outcome } from "../../../src/flow/runs/dispatch/outcome.ts";
import { heartbeatRuns } from "../../../src/flow/runs/pull/heartbeat-runs.ts";
import { settleRuns } from "../../../src/flow/runs/settle/settle-runs.ts";
import { captureStatements } from "../../statements/sent-statements.ts";
import { cloneDatabase } from "../../world/database.ts";
import { claimSome, fillQueue, makeJob, type TestJob } from "../../world/queue-world.ts";
import { makeWorld, type World } from "../../world/world.ts";

const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };

let world: World;
let statements: string[];
let empty: pg.Client;
beforeAll(async () => {
  world = await makeWorld();
  const project = await world.project();
  const { body: queue } = await project.api.post("/v1/queues", { name: "shared", max_concurrency: 2 });
  const limits = { max_concurrency: 2, max_concurrency_per_key: 1, rate_limit_max: 9, rate_limit_window_secs: 60 };
  const limited = await makeJob(project, { ...limits, queue: queue.name });
  const free = await makeJob(project);
  const sent = new Set<string>();
  const capture = captureStatements((text) => sent.add(text));
  await useQueue(limited);
  await useQueue(free);
  capture.stop();
  statements = [...sent].filter(
    (text) => /\/\* prepared \*\//.test(text) && /run_queue|concurrency_counters/.test(text),
  );

  const connection = await cloneDatabase();
  empty = new pg.Client(connection);
  await empty.connect();
  await empty.query("set enable_seqscan = off; set jit = off");
});
afterAll(() => empty?.end());

/** Claims for instances and workers, blocks, renews, completes, requeues. */
async function useQueue(job: TestJob): Promise<void> {
  await fillQueue(world.ctx, job, Array(6).fill({ concurrency_key: "a" }));
  await fillQueue(world.ctx, job, 3);
  const [first, second, ...others] = await claimSome(world.ctx, job, 9);
  if (!first || !second) throw new Error("nothing was claimed");
  await renewLeases(world.ctx, [first, second]);
  await settleRuns(world.ctx, [{ run: first, outcome: COMPLETED }]);
  await settleRuns(
    world.ctx,
    [second, ...others].map((run) => ({ run, outcome: FAILED })),
  );
  const lane = {
    project_id: job.project_id,
    host: job.host,
    share: 9,
    bound: "-infinity",
    queue: "default",
    turn: 0,
    weight: 1,
  };
  const worker = { worker_id: "w", claim_id: randomUUID(), lease_secs: 15, isFirst: true, max: 9 };
  const { claimed, unchecked } = await claimPulledRuns(world.ctx, [lane], worker);
  const runs = [...claimed, ...(await claimLimited(world.ctx, unchecked, worker))];
  await heartbeatRuns(world.ctx, job.project_id, "w", runs);
}

/** A connection keeps the first plan: made in an idle system, it is used when a hundred thousand runs are queued. */
it.each(["without statistics", "with statistics"])(
  "a plan made while the tables were empty, %s, reads runs and counters by their keys",
  async (statistics) => {
    if (statistics === "with statistics") await empty.query("vacuum analyze");
    expect(statements.length).toBeGreaterThan(12);
    for (const text of statements) {
      const { rows } = await empty.query<{ "QUERY PLAN": string }>(`explain (generic_plan) ${text}`);
      const plan = rows.map((line) => line["QUERY PLAN"]).join("\n");
      expect(readsOfAll(plan), `${text}\n${plan}`).toEqual([]);
    }
  },
);

/** Scans of the queue or the counters that read more than the rows of given keys. */
function readsOfAll(plan: string): string[] {
  const scans = plan.matchAll(
    /(?:Index (?:Only )?Scan using|Bitmap Index Scan on) (run_queue|concurrency_counters)_pkey[^\n]*(?:\n[^\n]*Index Cond:[^\n]*)?/g,
  );
  return [...scans].map(([scan]) => scan).filter((scan) => !/\b(run_id|key) = /.test(scan));
}
