import { beforeAll, describe, expect, it } from "vitest";
import type { NewRun, WaitsOn } from "../../../src/flow/runs/create/new-run.ts";
import { linkDependencies } from "../../../src/flow/runs/dependencies/link-dependencies.ts";
import {
  closeLinks,
  releaseLocked,
  settleDependents,
  settleNewDependent,
} from "../../../src/flow/runs/dependencies/settle-dependents.ts";
import type { Ctx } from "../../../src/platform/context.ts";
import { newId } from "../../../src/platform/ids.ts";
import { plansOf } from "../../statements/explain.ts";
import { runSql } from "../../world/database.ts";
import { untilUp } from "../../world/until-up.ts";
import type { World } from "../../world/world.ts";
import { makePlanWorld, within } from "./plan-world.ts";

let world: World;
let project_id: string;
beforeAll(async () => {
  world = await makePlanWorld();
  await untilUp([world]);
  project_id = (await world.project()).id;
});

const ended = () => ({ project_id, run_id: newId() });
const asking = (waits_on: WaitsOn) => ({ id: newId(), project_id, environment_id: newId(), waits_on }) as NewRun;

type Planned = { indexes: string[]; work: (ctx: Ctx) => Promise<unknown> };

/** The first statement of each function, and the only indexes it may use. */
const STATEMENTS: Record<string, Planned> = {
  "locking the runs that are named": {
    indexes: ["runs_pkey"],
    work: (ctx) => linkDependencies(within(ctx), [asking({ run_ids: [newId()], jobs: [] })]),
  },
  "the newest active run of a job": {
    indexes: ["runs_of_job_idx", "jobs_pkey"],
    work: (ctx) =>
      linkDependencies(within(ctx), [asking({ run_ids: [], jobs: [{ job_id: newId(), condition: "ended" }] })]),
  },
  "the dependents of a run": {
    indexes: ["run_dependencies_open_idx", "runs_pkey"],
    work: (ctx) => settleDependents(ctx, ended()),
  },
  "unblocking dependents": {
    indexes: [
      ...["run_dependencies_open_idx", "run_dependencies_pkey", "runs_pkey", "run_queue_pkey", "jobs_pkey"],
      ...["run_queue_interleave_idx", "run_queue_key_interleave_idx"],
    ],
    work: (ctx) => releaseLocked(within(ctx), ended(), [newId(), newId()], "completed"),
  },
  "closing the dependencies of canceled runs": {
    indexes: ["run_dependencies_open_idx", "run_dependencies_pkey"],
    work: (ctx) => closeLinks(ctx, ended(), [newId(), newId()], "failed"),
  },
  "the dependencies of a new run": {
    indexes: ["run_dependencies_pkey", "runs_pkey"],
    work: (ctx) => settleNewDependent(ctx, ended()),
  },
};

async function expectIndexes(): Promise<void> {
  for (const [what, { indexes, work }] of Object.entries(STATEMENTS)) {
    for (const plan of await plansOf(world.ctx, work)) {
      const used = Array.from(plan.matchAll(/(?:using|Bitmap Index Scan on) (\S+)/g), ([, index]) => index);
      expect(used.length, `${what}\n${plan}`).toBeGreaterThan(0);
      for (const index of used) expect(indexes, `${what}\n${plan}`).toContain(index);
      expect(plan, what).not.toContain("Seq Scan");
    }
  }
}

describe("the plans of dependencies", () => {
  it("find each row by its key when made on empty tables", expectIndexes);

  it("and when they hold many rows", async () => {
    await runSql(
      world.connection,
      `insert into run_dependencies (project_id, run_id, depends_on_run_id, depends_on_job_id, condition, source, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'completed', 'run', clock()
       from generate_series(1, 20000)`,
      [project_id],
    );
    await runSql(world.connection, "analyze run_dependencies");
    await expectIndexes();
  });
});
