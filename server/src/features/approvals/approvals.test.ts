import type { Approval } from "@millrace/contract/workflows/approvals";
import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../test/costs/workflow-bench.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

/** A run that waits for one approval. */
async function ask(step: object = {}, run: object = {}): Promise<string> {
  const bench = await workflowBench(world, project);
  const workflow = await bench.save([{ step_ref: "ok", type: "approval", message: "Ship it?", ...step }]);
  return (await bench.run(workflow, run)).run.id;
}

async function listed(api: TestProject["api"], query = ""): Promise<Approval[]> {
  const { status, body, text } = await api.get(`/v1/approvals${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

describe("GET /v1/approvals", () => {
  it("lists what waits, newest first, until it is decided", async () => {
    const first = await ask();
    const second = await ask();
    const all = await listed(project.api);
    expect(all.map(({ workflow_run_id }) => workflow_run_id)).toEqual([second, first]);
    expect(all[1]).toMatchObject({ step_ref: "ok", message: "Ship it?", approvers: [], may_decide: true });
    await project.api.post(`/v1/workflow-runs/${first}/steps/ok/approve`, {});
    expect((await listed(project.api)).map(({ workflow_run_id }) => workflow_run_id)).toEqual([second]);
  });

  it("says whether the caller may decide, and lists only those on request", async () => {
    const [alice, bob] = [await project.newKey({ name: "alice" }), await project.newKey({ name: "bob" })];
    const reader = await project.newKey({ scopes: ["workflows:read"] });
    const id = await ask({ approvers: [alice.id] });
    const may = async ({ api }: Pick<TestProject, "api">) =>
      (await listed(api, `?workflow_run_id=${id}`))[0]?.may_decide;
    expect([await may(alice), await may(bob), await may(reader)]).toEqual([true, false, false]);
    expect(await listed(alice.api, `?workflow_run_id=${id}&mine=true`)).toHaveLength(1);
    expect(await listed(bob.api, `?workflow_run_id=${id}&mine=true`)).toEqual([]);
  });

  it("filters by environment, and shows a bound key only its own", async () => {
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const id = await ask({}, { environment_id: "staging" });
    const there = await listed(project.api, "?environment_id=staging");
    expect(there.map(({ workflow_run_id, environment_id }) => [workflow_run_id, environment_id])).toEqual([
      [id, staging],
    ]);
    const bound = await project.newKey({ environment_id: staging });
    expect(await listed(bound.api)).toHaveLength(1);
    expect((await listed(project.api, "?environment_id=production")).some((each) => each.workflow_run_id === id)).toBe(
      false,
    );
  });
});
