import { beforeAll, describe, expect, it } from "vitest";
import { sumDispatches } from "../../../src/features/analytics/costs-dispatches.ts";
import { sumReports } from "../../../src/features/analytics/costs-reports.ts";
import { type Draft, sampleRuns } from "../../../src/features/analytics/insight-samples.ts";
import type { Range } from "../../../src/features/analytics/range.ts";
import { readRunCosts } from "../../../src/flow/read-run-costs.ts";
import { isWithin } from "../../../src/platform/changelog/next-batch.ts";
import type { Ctx, ProjectCtx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { runSql } from "../../database.ts";
import { plansOf } from "../../explain.ts";
import type { World } from "../../world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

const project_id = newId();
const run_id = newId();
const batch = isWithin({ after_xid: "700", to_xid: "720", floor_at: "2020-01-01T00:00:00.000Z" });

const RUN = [/Index.* Scan using runs_pkey/, /Index.* Scan using workflow_runs_pkey/];

const inProject = (ctx: Ctx): ProjectCtx => ({ ...world.callerCtx(), ...ctx, project_id });
const draft: Draft = {
  ...{ rule: "retry_waste", job_id: newId(), job_slug: null, schedule_id: null, title: "", what_to_change: "" },
  ...{ estimated_saving_microusd: 1, evidence: {}, sample: "retried" },
};
const range: Range = {
  ...{ from: "", to: "", from_ms: Date.UTC(2020, 0), to_ms: Date.UTC(2040, 0), bucket: "1d", bucket_ms: 86_400_000 },
};

type Work = [string, (ctx: Ctx) => Promise<unknown>, RegExp[]];
const WORK: Work[] = [
  [
    "dispatches",
    (ctx) => sumDispatches(within(ctx), batch),
    [
      /run_transitions_\w*xid_idx/,
      /Index.* Scan using run_transitions_\w*pkey/,
      /Index.* Scan using run_usage_pkey/,
      ...RUN,
    ],
  ],
  [
    "examples of an insight",
    (ctx) => sampleRuns(inProject(ctx), [draft], { range }),
    [/Index.* Scan using run_transitions_\w*pkey/, /Index.* Scan.* using runs_\w+/],
  ],
  ...["staging", newId()].map(
    (environment_id): Work => [
      `examples in ${environment_id}`,
      (ctx) => sampleRuns(inProject(ctx), [draft], { range, environment_id }),
      [/Index.* Scan using run_transitions_\w*pkey/, /Index.* Scan.* using runs_\w+/],
    ],
  ),
  ["reports", (ctx) => sumReports(within(ctx), batch), [/run_usage_xid_idx/, ...RUN]],
  [
    "the cost of runs",
    (ctx) => readRunCosts(ctx, project_id, [run_id]),
    [/Index.* Scan using run_transitions_\w*pkey/, /Index.* Scan using runs_pkey/],
  ],
];

describe("reading for the rollup of costs", () => {
  it.each(["empty", "full"])("looks each row up by its key, also with a plan made on %s tables", async (state) => {
    if (state === "full") await fill();
    for (const [name, work, wanted] of WORK) {
      for (const plan of await plansOf(world.ctx, work)) {
        for (const scan of wanted) expect([name, plan]).toEqual([name, expect.stringMatching(scan)]);
        expect([name, plan]).toEqual([
          name,
          expect.not.stringMatching(/Seq Scan on (run|workflow)|brin|created_at_idx/),
        ]);
      }
    }
  });
});

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, xid, created_at)
     select $1, uuidv7(), 2, 'running', 'completed', 'completed', 1, (600 + n / 10)::text::xid8, clock() + n * interval '1 ms'
     from generate_series(1, 20000) n`,
    [project_id],
  );
  await runSql(world.connection, "analyze run_transitions");
}
