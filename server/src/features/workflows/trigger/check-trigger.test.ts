import { beforeAll, describe, expect, it } from "vitest";
import { budgetBench } from "../../../../test/costs/budget-bench.ts";
import { seen } from "../../../../test/outside/seen.ts";
import { makeWorkflow } from "../../../../test/seed/make-workflow.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

/** A workflow, and the two ways to trigger it. */
async function bench(project: TestProject) {
  const { id } = await makeWorkflow(project, { steps: [{ step_ref: "ok", type: "approval" }] });
  const trigger = (body: object) => project.api.post(`/v1/workflows/${id}/trigger`, body);
  return {
    real: trigger,
    dry: (body: object) => trigger({ ...body, dry_run: true }),
    written: () =>
      runSql(
        world.connection,
        `select to_jsonb(w)::text as row from workflow_runs w where project_id = $1
         union all select to_jsonb(k)::text from idempotency_keys k where project_id = $1 order by 1`,
        [project.id],
      ),
  };
}

describe("a dry run of a workflow trigger", () => {
  it("returns the same 402 once the budget is spent", async () => {
    const { project, set } = await budgetBench(world, 1);
    const { dry, real, written } = await bench(project);
    expect((await dry({})).status).toBe(200);
    await set({ monthly_budget_microusd: 0 });
    const previewed = await dry({ idempotency_key: "k" });
    expect([previewed.status, previewed.body.code]).toEqual([402, "budget_exceeded"]);
    expect(seen(previewed)).toEqual(seen(await real({ idempotency_key: "k" })));
    expect(await written()).toEqual([]);
  });

  it("returns 409 for a key that was used for other content, and stores no key", async () => {
    const { dry, real, written } = await bench(await world.project());
    await real({ idempotency_key: "k", payload: 1 });
    const before = await written();
    const previewed = await dry({ idempotency_key: "k", payload: 2 });
    expect([previewed.status, previewed.body.code]).toEqual([409, "idempotency_conflict"]);
    expect((await dry({ idempotency_key: "other" })).body.status).toBe("pending");
    expect(await written()).toEqual(before);
    expect(seen(previewed)).toEqual(seen(await real({ idempotency_key: "k", payload: 2 })));
  });

  it("returns the key's existing run like a repeated trigger, even if the budget is spent", async () => {
    const { project, set } = await budgetBench(world, 1);
    const { dry, real } = await bench(project);
    const asked = { idempotency_key: "k", payload: { a: 1 } };
    const first = await real(asked);
    await project.api.post(`/v1/workflow-runs/${first.body.id}/cancel`);
    await set({ monthly_budget_microusd: 0 });
    const previewed = await dry(asked);
    expect(previewed.body).toMatchObject({ id: first.body.id, status: "canceled" });
    expect(seen(previewed)).toEqual(seen(await real(asked)));
  });
});
