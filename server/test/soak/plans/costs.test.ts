import { beforeAll, describe, expect, it } from "vitest";
import { sumReports } from "../../../src/features/analytics/costs/costs-reports.ts";
import { type Draft, sampleRuns } from "../../../src/features/analytics/insights/insight-samples.ts";
import type { Range } from "../../../src/features/analytics/reports/range.ts";
import { readRunCosts } from "../../../src/flow/budget/read-run-costs.ts";
import { readRunSums } from "../../../src/flow/budget/run-sums.ts";
import { runChanges, usage } from "../../../src/platform/changelog/log-range.ts";
import { sequenceChanges } from "../../../src/platform/changelog/sequence-changes.ts";
import type { Ctx, ProjectCtx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { appendRunChanges } from "../../seed/append-changes.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
beforeAll(async () => {
  world = await makePlanWorld();
});

const project_id = newId();
const run_id = newId();
const read = { after: 700, to: 720 };

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
    "runs",
    (ctx) => readRunSums(within(ctx), runChanges(read)),
    [
      /Index.* Scan using changelog_pkey/,
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
  [
    "reports",
    (ctx) => sumReports(within(ctx), usage(read)),
    [/Index.* Scan using changelog_pkey/, /run_usage_pkey/, ...RUN],
  ],
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
          expect.not.stringMatching(/Seq Scan on (run|workflow|changelog\b)|brin|created_at_idx/),
        ]);
      }
    }
  });
});

async function fill(): Promise<void> {
  await runSql(
    world.connection,
    `with logged as (
       insert into run_transitions (project_id, run_id, ordinal, from_status, to_status, cause, attempt, created_at)
       select $1, uuidv7(), 2, 'running', 'completed', 'completed', 1, clock() + n * interval '1 ms'
       from generate_series(1, 20000) n returning *
     )
     ${appendRunChanges()}`,
    [project_id],
  );
  await sequenceChanges(world.ctx);
  await runSql(world.connection, "analyze run_transitions, changelog");
}
