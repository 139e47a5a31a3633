import { beforeAll, describe, expect, it } from "vitest";
import { endRuns, type RunEnd } from "../../../src/flow/runs/settle/end-runs.ts";
import { type Requeue, requeueRuns } from "../../../src/flow/runs/settle/requeue-runs.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

const run = { project_id: newId(), run_id: newId(), attempt: 1, lease_token: newId(), slots: null };
const settled = {
  run,
  is_expired: false,
  detail: {},
  http_status: 200,
  duration_ms: 5,
  error: null,
  tries_used: 1,
  crash_count: 0,
};
const end = { ...settled, to_status: "completed", cause: "completed", is_dead: false, result_json: "null" };
const requeue = { ...settled, cause: "retry", delay_secs: 1 };

/** A nested loop between two parts of a statement: 40,000 comparisons for 200 rows. */
const NESTED = /Join Filter: \(+\w+\.\w+ = /;
/** The same but for the hosts that cannot be reached: there are few. */
const NESTED_ELSEWHERE = /Join Filter: \(+(?!u\.run_id = g)\w+\.\w+ = /;
/** The queue row of each run by its whole key (`hasKeyOf`). */
const BY_KEY =
  /on run_queue q\w* {2}.*\n\s+Index Cond: \(\(project_id = ANY \(ARRAY\[\w+\.project_id\]\)\) AND \(run_id = \w+\.run_id\)\)/;

type Planned = { work: (ctx: Ctx) => Promise<unknown>; nested?: RegExp };

const STATEMENTS: Record<string, Planned> = {
  "completing runs": { work: (ctx) => endRuns(ctx, [{ ...end, on_failure_job_id: null } as unknown as RunEnd]) },
  "ending runs in any way": {
    work: (ctx) => endRuns(ctx, [{ ...end, to_status: "failed", on_failure_job_id: null } as unknown as RunEnd]),
  },
  "requeuing runs": {
    work: (ctx) => requeueRuns(ctx, [requeue as unknown as Requeue]),
    nested: NESTED_ELSEWHERE,
  },
};

describe("the plans of settling", () => {
  it.each(Object.entries(STATEMENTS))(
    "%s: each row is looked up by its key, each lease by its hash, also with the statistics of a vacuumed empty queue",
    async (_, { work, nested = NESTED }) => {
      const unknown = await plansOf(world.ctx, work);
      await runSql(world.connection, "vacuum analyze run_queue");
      for (const plan of [...unknown, ...(await plansOf(world.ctx, work))]) {
        expect(plan).not.toMatch(/Seq Scan on (runs|run_queue)/);
        expect(plan).toMatch(/hashed SubPlan/);
        expect(plan).toMatch(BY_KEY);
        expect(plan).not.toMatch(nested);
      }
    },
  );
});
