import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { stopFigures } from "../../harness/check/stops.ts";
import type { ProjectClient } from "../../harness/client.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { disorder } from "../../oracles/queue-order.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { workflows: 4, items: 15, children: 5, kills: 1, budgeted: 30 },
  usual: { workflows: 10, items: 40, children: 10, kills: 2, budgeted: 100 },
  whole: { workflows: 40, items: 100, children: 20, kills: 8, budgeted: 500 },
});
const CHARGE_MS = 80;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ name: "mixed" });
});

const list = (length: number) => Array.from({ length }, (_, nth) => nth);
const pick = <T>(all: readonly T[]) => all[Math.floor(harness.random() * all.length)] as T;

function chargeUrl(): string {
  return harness.receiver.endpoint("charge", async ({ dispatch: { attempt } }) => {
    await pause(CHARGE_MS * (0.5 + harness.random()));
    return { body: { attempt } };
  });
}

async function startAll(project: ProjectClient, steps: object[]): Promise<string[]> {
  const { path } = await makeWorkflow({ api: project }, { name: "Parent", steps });
  return Promise.all(list(SIZE.workflows).map(async () => (await project.post(`${path}/trigger`, {})).body.id));
}

/** Each is back up before the next is killed. */
async function killInTurn(): Promise<void> {
  for (let nth = 0; nth < SIZE.kills; nth++) {
    await pause(harness.random() * 1_000);
    await harness.instances.crash(pick([0, 1, 2]), harness.random() * 1_000);
  }
}

/**
 * The call may reach an instance that is being killed: then it is repeated. A run that has already ended is not a failure.
 */
async function operate(project: ProjectClient, id: string, verb: string): Promise<void> {
  const isDone = async () => {
    const response = await project.call("POST", `/v1/workflow-runs/${id}/${verb}`, {});
    return response !== undefined && (response.status < 300 || response.status === 409);
  };
  await until(`a response to ${verb}`, 30_000, isDone);
}

async function judge(project: ProjectClient): Promise<void> {
  await harness.settle(90_000, project);
  const { history, violations } = await harness.check(project);
  const figures = stopFigures(history);
  const sum = (name: "claims_after" | "received_after" | "in_flight") =>
    figures.reduce((total, each) => total + each[name], 0);
  console.info(
    `${history.runs.length} runs, ${history.workflow_runs.length} workflow runs, ${figures.length} stops: ${sum("claims_after")} claims ` +
      `after their commits, ${sum("received_after")} requests after their responses (${sum("in_flight")} in flight)`,
  );
  expect(violations).toEqual({});
  expect(await disorder(harness.connection)).toEqual([]);
}

describe("cancel × map × limits × kill -9", () => {
  it("violates no invariant", async () => {
    const project = await harness.project();
    const limits = { max_concurrency: 6, max_concurrency_per_key: 2, max_attempts: 5, retry_strategy: "fixed" };
    const job = await makeJob({ api: project }, { endpoint_url: chargeUrl(), ...limits });
    const child = await makeWorkflow(
      { api: project },
      { name: "Child", steps: [{ step_ref: "charge", job_id: job.id, concurrency_key: "{{payload.key}}" }] },
    );
    const ids = await startAll(project, [
      { step_ref: "jobs", type: "map", items: list(SIZE.items), job_id: job.id, max_parallel: 50 },
      {
        ...{ step_ref: "children", type: "map", items: ["a", "b", "c", "a", "b"], workflow_id: child.id },
        payload: { key: "{{item}}" },
      },
    ]);
    const canceled = ids.filter((_, nth) => nth % 2 === 0);
    await Promise.all([
      killInTurn(),
      ...canceled.map(async (id) => {
        await pause(harness.random() * 2_000);
        await operate(project, id, "cancel");
      }),
    ]);
    await judge(project);
  });
});

describe("pause × sub-workflow × resume × kill -9", () => {
  it("violates no invariant, and everything that was resumed completes", async () => {
    const project = await harness.project();
    const job = await makeJob(
      { api: project },
      { endpoint_url: chargeUrl(), max_concurrency: 8, max_attempts: 5, retry_strategy: "fixed" },
    );
    const child = await makeWorkflow(
      { api: project },
      {
        name: "Child",
        steps: [
          { step_ref: "first", job_id: job.id },
          { step_ref: "nap", type: "sleep", sleep_duration: "1s", depends_on: ["first"] },
          { step_ref: "second", job_id: job.id, depends_on: ["nap"] },
        ],
      },
    );
    const ids = await startAll(project, [
      { step_ref: "each", type: "map", items: list(SIZE.children), workflow_id: child.id },
    ]);
    const stopAndGo = async (id: string) => {
      await pause(harness.random() * 1_500);
      await operate(project, id, "pause");
      await pause(1_000 + harness.random() * 1_000);
      await operate(project, id, "resume");
    };
    await Promise.all([killInTurn(), ...ids.map(stopAndGo)]);
    await judge(project);
    const ends = await Promise.all(ids.map(async (id) => (await project.get(`/v1/workflow-runs/${id}`)).body.status));
    expect(new Set(ends)).toEqual(new Set(["completed"]));
  });

  it("leaves a child paused that was paused separately before its parent", async () => {
    const project = await harness.project();
    const job = await makeJob({ api: project }, { endpoint_url: chargeUrl() });
    const nap = { step_ref: "nap", type: "sleep", sleep_duration: "1s" };
    const steps = [nap, { step_ref: "charge", job_id: job.id, depends_on: ["nap"] }];
    const child = await makeWorkflow({ api: project }, { name: "Child", steps });
    const below = { step_ref: "below", type: "sub_workflow", workflow_id: child.id };
    const { path } = await makeWorkflow({ api: project }, { name: "Parent", steps: [below] });
    const parent_id = (await project.post(`${path}/trigger`, {})).body.id;
    const findChild = async () =>
      (await project.get(`/v1/workflow-runs?workflow_id=${child.id}&status=running`)).body.data[0]?.id;
    const child_id = await until("the child to run", 20_000, findChild);
    await operate(project, child_id, "pause");
    await operate(project, parent_id, "pause");
    await operate(project, parent_id, "resume");
    await pause(2_000); // longer than the child's sleep, and than any cascade
    expect((await project.get(`/v1/workflow-runs/${child_id}`)).body.status).toBe("paused");
    expect(harness.receiver.dispatches.filter((each) => each.project_id === project.project_id)).toEqual([]);
    await operate(project, child_id, "resume");
    await judge(project);
  });
});

describe("bulk × budget", () => {
  /** Half of the items are within the budget; the others wait for it. */
  async function makeBudgeted(project: ProjectClient, before: object[]): Promise<{ job_id: string; path: string }> {
    const cost = { estimated_cost_microusd: 1_000, max_concurrency: 5 };
    const { id: job_id } = await makeJob({ api: project }, { endpoint_url: chargeUrl(), ...cost });
    const budget = { monthly_budget_microusd: (SIZE.budgeted / 2) * 1_000, action: "block" };
    await project.call("PUT", "/v1/project-budget", budget);
    const items = list(SIZE.budgeted);
    const map = { step_ref: "each", type: "map", items, job_id, max_parallel: items.length, tolerate_failures: true };
    const steps = [...before, { ...map, depends_on: before.length > 0 ? ["before"] : [] }];
    const { path } = await makeWorkflow({ api: project }, { steps });
    return { job_id, path };
  }

  it("violates no invariant, and releases all reservations", async () => {
    const project = await harness.project();
    const { job_id, path } = await makeBudgeted(project, [{ step_ref: "before", type: "sleep", sleep_duration: "1s" }]);
    await project.post(`${path}/trigger`, {});
    const dispatched = () => harness.receiver.dispatches.filter((row) => row.project_id === project.project_id).length;
    await until("some to run", 30_000, () => dispatched() >= 5);
    await project.post("/v1/runs/bulk-cancel-all", { filter: { job_id } });
    await judge(project);
    const isBack = async () => (await project.get("/v1/project-budget")).body.reserved_microusd === 0;
    await until("the reservations to be released", 20_000, isBack);
  });

  it("starts a workflow run whose first step takes the rest of the budget", async () => {
    const project = await harness.project();
    const { path } = await makeBudgeted(project, []);
    const response = await project.call("POST", `${path}/trigger`, {});
    expect([response?.status, response?.body.code]).toEqual([201, undefined]);
    await project.post(`/v1/workflow-runs/${response?.body.id}/cancel`);
    await judge(project);
  });
});
