import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { type Instance, makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { connectStarter } from "../../runs/create/start-locally.ts";
import { prepareWorkflowRun } from "./prepare-workflow-run.ts";
import { startWorkflowRunsWithin } from "./start-workflow-runs.ts";
import { findTriggerableWorkflow } from "./triggerable-workflow.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** An instance that counts its slots, and a workflow run with two first steps. */
async function bench() {
  const { ctx }: Instance = await world.anotherInstance();
  const slots = { reserved: 0, released: 0, started: 0 };
  connectStarter(ctx, {
    reserve: (_, wanted) => {
      slots.reserved += wanted;
      return wanted;
    },
    release: (_, count) => {
      slots.released += count;
    },
    start: (runs) => {
      slots.started += runs.length;
    },
  });
  const { id: job_id } = await makeJob(project);
  const steps = ["a", "b"].map((step_ref) => ({ step_ref, type: "job", job_id }));
  const { id } = await makeWorkflow(project, { steps });
  const workflow = await findTriggerableWorkflow(ctx, project.id, id);
  if (!workflow) throw new Error("no such workflow");
  return { ctx, slots, run: await prepareWorkflowRun(ctx, workflow, { created_by: "test", trigger_type: "api" }) };
}

describe("the slots of first steps", () => {
  it("are used after the commit, and not before", async () => {
    const { ctx, slots, run } = await bench();
    await inTransaction(ctx, async (tx) => {
      await startWorkflowRunsWithin(tx, [run]);
      expect(slots).toEqual({ reserved: 2, released: 0, started: 0 });
    });
    expect(slots).toEqual({ reserved: 2, released: 0, started: 2 });
  });

  it("are released when the caller's transaction is rolled back", async () => {
    const { ctx, slots, run } = await bench();
    const work = inTransaction(ctx, async (tx) => {
      await startWorkflowRunsWithin(tx, [run]);
      throw new Error("no");
    });
    await expect(work).rejects.toThrow("no");
    expect(slots).toEqual({ reserved: 2, released: 2, started: 0 });
  });
});
