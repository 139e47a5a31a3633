import type { TraceSpan } from "@millrace/contract/runs/traces";
import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../../test/costs/workflow-bench.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

type Spans = Omit<TraceSpan, "$schema">[];

async function traced(id: string, { api }: Pick<TestProject, "api"> = project, query = ""): Promise<Spans> {
  const { status, body, text } = await api.get(`/v1/workflow-runs/${id}/trace${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

describe("GET /v1/workflow-runs/{workflowRunID}/trace", () => {
  it("has started steps, what they wait for, and their runs, which have traces of their own", async () => {
    const bench = await workflowBench(world, project);
    const steps = [
      { step_ref: "charge" },
      { step_ref: "paid", type: "wait_for_event", event_key: "order-9.paid", depends_on: ["charge"] },
      { step_ref: "ship", depends_on: ["paid"] },
    ];
    const { run, steps: ran } = await bench.run(await bench.save(steps));
    const spans = await traced(run.id);
    const of = (name: string) => spans.find((span) => span.name === name);
    expect(spans.find(({ parent_id }) => parent_id === null)).toMatchObject({
      id: run.id,
      kind: "workflow_run",
      status: "running",
      finished_at: null,
    });
    expect(of("charge")).toMatchObject({
      parent_id: run.id,
      status: "completed",
      run_id: ran.charge.run_id,
      finished_at: ran.charge.finished_at,
    });
    expect(of("paid")).toMatchObject({ status: "waiting", attributes: { event_key: "order-9.paid" }, run_id: null });
    expect(of("ship")).toBeUndefined();
    const narrow = await project.newKey({ scopes: ["workflows:read"] });
    const hidden = await traced(run.id, narrow);
    expect(hidden.find(({ name }) => name === "charge")?.run_id).toBeNull();
    expect(hidden.find(({ name }) => name === "paid")?.attributes.event_key).toBeNull();
  });

  it("has the items of a map below their step, in pages", async () => {
    const bench = await workflowBench(world, project);
    const map = { step_ref: "each", type: "map", items: "{{payload.ids}}", job_id: bench.job_id };
    const { run } = await bench.run(await bench.save([map]), { payload: { ids: [1, 2, 3, 4, 5] } });
    const items = (spans: Spans) => spans.filter(({ kind }) => kind === "map_item");
    const whole = await traced(run.id);
    expect(items(whole).map(({ name }) => name)).toHaveLength(5);
    expect(new Set(items(whole).map(({ parent_id }) => parent_id))).toEqual(new Set([`${run.id}:step:each`]));
    const first = (await project.api.get(`/v1/workflow-runs/${run.id}/trace?limit=3`)).body;
    const rest = await traced(run.id, project, `?limit=100&cursor=${first.next_cursor}`);
    expect([...first.data, ...rest].map(({ id }: { id: string }) => id)).toEqual(whole.map(({ id }) => id));
  });

  it("404 for an unknown workflow run", async () => {
    expect((await project.api.get(`/v1/workflow-runs/${newId()}/trace`)).status).toBe(404);
  });
});
