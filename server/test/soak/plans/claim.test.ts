import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { claimPulledRuns } from "../../../src/flow/runs/claim/claim-pulled-runs.ts";
import { claimRuns } from "../../../src/flow/runs/claim/claim-runs.ts";
import type { ClaimedRun } from "../../../src/flow/runs/claim/claimed-run.ts";
import { findLanes } from "../../../src/flow/runs/claim/lanes.ts";
import type { Outcome } from "../../../src/flow/runs/dispatch/outcome.ts";
import { releaseDue } from "../../../src/flow/runs/maintain/release-due.ts";
import { findNow } from "../../../src/flow/runs/pull/find-claimed.ts";
import { settleRuns } from "../../../src/flow/runs/settle/settle-runs.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { manyEnded, manyQueued } from "../../seed/bulk-rows.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import { claimOne, fillQueue, makeJob, type TestJob } from "../../world/queue-world.ts";
import { untilUp } from "../../world/until-up.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

/** The queue rows that it changes, each by its whole key. */
const BY_KEY =
  /on run_queue q\w* {2}.*\n\s+Index Cond: \(\(project_id = ANY \(ARRAY\[\w+\.project_id\]\)\) AND \(run_id = \w+\.run_id\)\)/;
const COMPLETED: Outcome = { kind: "completed", result_json: "null" };
const FAILED: Outcome = { kind: "failed", retryable: true, error: { code: "no", message: "No." } };

describe("the plans of the queue, with 50,000 ended runs and 50,000 that are not due", () => {
  let world: World;
  let job: TestJob;
  let held: ClaimedRun;
  beforeAll(async () => {
    world = await makePlanWorld();
    await untilUp([world]);
    // Full tables with the statistics of empty ones: the planner's estimates are far off.
    await runSql(world.connection, "analyze runs, run_queue, jobs");
    job = await makeJob(await world.project());
    await manyEnded(world.connection, job, 50_000);
    await manyQueued(world.connection, job, { count: 50_000, delay_secs: 86_400 });
    await manyQueued(world.connection, job, { count: 500 });
    await fillQueue(world.ctx, job, Array(300).fill({ concurrency_key: "a" }));
    held = await claimOne(world.ctx, job);
  });

  const lanes = () => [
    { project_id: job.project_id, host: job.host, share: 200, bound: "2020-01-01T00:00:00.000Z" },
    { project_id: job.project_id, host: "elsewhere.example.com:443", share: 200, bound: "2020-01-01T00:00:00.000Z" },
  ];
  const worker = { worker_id: "w", claim_id: randomUUID(), lease_secs: 15, isFirst: false, max: 100 };
  const pulled = () => lanes().map((lane) => ({ ...lane, queue: "default", turn: 0, weight: 1 }));
  const first = { ...worker, isFirst: true };
  const serves = { queues: undefined, keyQueues: null, jobs: undefined, environments: undefined };
  const claim = () => ({ ...worker, project_id: job.project_id, serves });
  /** Without the claim it would walk all runs that the worker has held since the last vacuum. */
  const OF_CLAIM =
    /Index (?:Only )?Scan using run_queue_claimed_idx [^\n]*\n *Index Cond: [^\n]*worker_id[^\n]*claim_id/;
  const settle = (outcome: Outcome) => (ctx: Ctx) => settleRuns(ctx, [{ run: held, outcome }]);
  const STATEMENTS: [string, (ctx: Ctx) => Promise<unknown>, RegExp][] = [
    ["claiming", (ctx) => claimRuns(ctx, lanes()), /Index Scan using run_queue_claim_idx/],
    ["taking turns", (ctx) => claimRuns(ctx, lanes()), /Index Scan using run_queue_turn_idx/],
    [
      "claiming for a worker",
      (ctx) => claimPulledRuns(ctx, pulled(), worker),
      /Index Scan using run_queue_pkey on run_queue q/,
    ],
    ["claiming for a poll that has waited", (ctx) => claimPulledRuns(ctx, pulled(), first), OF_CLAIM],
    ["looking for the runs of a claim", (ctx) => findNow(ctx, claim()), OF_CLAIM],
    ["looking for lanes", (ctx) => findLanes(ctx, undefined, 256), /Index (Only )?Scan using run_queue_claim_idx/],
    ["ending", settle(COMPLETED), /Index Scan using runs_pkey/],
    ["requeueing", settle(FAILED), /Index Scan using runs_pkey/],
    ["releasing what is due", releaseDue, /Index Scan (using|on) run_queue_due_idx/],
  ];

  it.each(["of empty tables", "of the full ones"])("look up rows, with the statistics %s", async (statistics) => {
    if (statistics === "of the full ones") await runSql(world.connection, "analyze runs, run_queue, jobs");
    // The version is already read and cached, so only the statement itself remains.
    await settleRuns(world.ctx, [{ run: { ...held, lease_token: held.run_id }, outcome: COMPLETED }]);
    for (const [name, work, expected] of STATEMENTS) {
      for (const plan of await plansOf(world.ctx, work)) {
        expect(plan, name).toMatch(expected);
        if (!name.startsWith("looking for")) expect(plan, name).toMatch(BY_KEY);
        expect(plan, name).not.toMatch(/Seq Scan on (runs|run_queue)\b/);
      }
    }
  });

  it("rows that are not due do not enter the claim's index", async () => {
    const [row] = await runSql<{ pages: number }>(
      world.connection,
      "select (pg_relation_size('run_queue_claim_idx') / 8192)::int as pages",
    );
    expect(row?.pages).toBeLessThan(20);
  });
});
