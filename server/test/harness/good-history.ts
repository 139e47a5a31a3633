import { setTimeout as pause } from "node:timers/promises";
import { runSql } from "../world/database.ts";
import { makeFlowWorld } from "../world/flow-world.ts";
import { until } from "../world/until.ts";
import type { World } from "../world/world.ts";
import { openClient, type ProjectClient } from "./client.ts";
import type { History } from "./history.ts";
import { journalFolder } from "./journal.ts";
import { keepCommits, loadHistory } from "./load-history.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const LIVE = `
  select 1 from runs where finished_at is null union all select 1 from workflow_runs where finished_at is null
  union all select 1 from webhook_deliveries where status <> 'delivered' limit 1`;
const CONSUMERS = ["work-on-batches", "send-webhooks", "sum-changes", "seal-audit"];

/** A short correct history of two projects that exercises everything the checker covers. */
export async function recordGoodHistory(): Promise<History> {
  const world = await makeFlowWorld();
  await keepCommits(world.connection);
  const folder = journalFolder();
  const urls = () => [world.url];
  const receiver = await openReceiver(await folder.open("receiver"), urls);
  const client = openClient(await folder.open("client"), urls);
  const [first, second] = [client.as(await world.project()), client.as(await world.project())];
  const endpoints = openEndpoints(receiver);
  const life = { world, receiver, endpoints };

  await triggerRuns(life, first);
  await runWorkflows(life, first);
  await stopThings(life, first);
  const job = await makeJob(second, endpoints.quick);
  await second.post(`/v1/jobs/${job}/trigger`);
  await until("everything to end", 20_000, async () => {
    await world.runUntilIdle();
    for (const task of CONSUMERS) await world.tick(task);
    return (await runSql(world.connection, LIVE)).length === 0;
  });
  return loadHistory(world.connection, {
    is_settled: true,
    ...{ calls: client.calls, dispatches: receiver.dispatches, reports: receiver.reports },
    ...{ received_deliveries: receiver.deliveries, faults: [] },
    timings: [{ what: "an emit", alone_ms: [90, 100, 110], contended_ms: [100, 120, 130] }],
  });
}

type Life = { world: World; receiver: Receiver; endpoints: Record<"quick" | "flaky" | "slow" | "waiter", string> };

function openEndpoints({ endpoint, webhookUrl }: Receiver): Life["endpoints"] {
  const responseOf = ({ dispatch: { attempt } }: { dispatch: { attempt: number } }) => ({ body: { attempt } });
  return {
    quick: endpoint("quick", responseOf),
    flaky: endpoint("flaky", (received) => (received.body.tries_used === 0 ? { status: 500 } : responseOf(received))),
    slow: endpoint("slow", async (received) => {
      await pause(150);
      return responseOf(received);
    }),
    waiter: endpoint("waiter", async (received) => {
      if (received.body.waits.length > 0) return responseOf(received);
      await received.report("wait-for-event", { event_key: received.body.payload.key, notify_url: webhookUrl });
      return {};
    }),
  };
}

async function makeJob({ post }: ProjectClient, endpoint_url: string, fields: object = {}): Promise<string> {
  const { body } = await post("/v1/jobs", {
    name: `Job ${fields ? JSON.stringify(fields).slice(0, 60) : ""}`,
    endpoint_url,
    ...fields,
  });
  return body.id;
}

/** Plain runs, a retry, a limit with priorities, a key, a rate, a delay, a wait, idempotency keys. */
async function triggerRuns({ world, endpoints }: Life, project: ProjectClient): Promise<void> {
  const trigger = (job: string, body: object = {}) => project.post(`/v1/jobs/${job}/trigger`, body);
  const quick = await makeJob(project, endpoints.quick);
  await trigger(quick, { idempotency_key: "once" });
  await trigger(quick, { idempotency_key: "once" });
  await trigger(quick, { delay_secs: 1 });
  await trigger(await makeJob(project, endpoints.flaky, { retry_strategy: "custom", retry_delays_secs: [1] }));
  const single = await makeJob(project, endpoints.slow, { max_concurrency: 1 });
  // In one call, so that no run arrives while others wait. The last of them waits longer than the checker
  // requires before it reports a run as overtaken.
  const priorities = [0, 0, 0, 0, 0, 0, 0, 0, 0, 10];
  await project.post(`/v1/jobs/${single}/trigger/bulk`, { items: priorities.map((priority) => ({ priority })) });
  const keyed = await makeJob(project, endpoints.slow, { max_concurrency_per_key: 2 });
  for (const concurrency_key of ["a", "a", "b"]) await trigger(keyed, { concurrency_key });
  const rated = await makeJob(project, endpoints.quick, { rate_limit_max: 3, rate_limit_window_secs: 60 });
  for (let nth = 0; nth < 2; nth++) await trigger(rated);
  await trigger(await makeJob(project, endpoints.waiter), { payload: { key: "go" } });
  await world.runUntilIdle();
  await project.post("/v1/events/go/send", { payload: { ok: true } });
  await world.runUntilIdle();
}

/** Fan-out, a map, a sub-workflow, a wait, a sleep, both kinds of tolerated failures, and a retried run. */
async function runWorkflows({ world, receiver, endpoints }: Life, project: ProjectClient): Promise<void> {
  const quick = await makeJob(project, endpoints.quick, { name: "Step" });
  let isBroken = true;
  const broken = receiver.endpoint("broken", () => (isBroken ? { status: 422 } : {}));
  const failing = await makeJob(project, broken, { name: "Broken" });
  const make = async (name: string, steps: object[]) => (await project.post("/v1/workflows", { name, steps })).body.id;
  const start = async (id: string) => (await project.post(`/v1/workflows/${id}/trigger`)).body.id;
  const child = await make("Child", [{ step_ref: "leaf", job_id: quick }]);
  await project.post("/v1/events/early/send", { payload: {}, buffer_secs: 60 });
  await start(
    await make("Order", [
      { step_ref: "start", job_id: quick },
      { step_ref: "each", type: "map", items: [1, 2, 3], job_id: quick, depends_on: ["start"] },
      { step_ref: "below", type: "sub_workflow", workflow_id: child, depends_on: ["start"] },
      { step_ref: "paid", type: "wait_for_event", event_key: "paid", depends_on: ["start"] },
      { step_ref: "early", type: "wait_for_event", event_key: "early", depends_on: ["start"] },
      { step_ref: "nap", type: "sleep", sleep_duration: "1s", depends_on: ["start"] },
      { step_ref: "shaky", job_id: failing, on_failure: "continue" },
      { step_ref: "optional", job_id: failing, on_failure: "skip_dependents" },
      { step_ref: "behind", job_id: quick, depends_on: ["optional"] },
      { step_ref: "last", job_id: quick, depends_on: ["each", "below", "paid", "early", "nap", "shaky"] },
    ]),
  );
  const retried = await start(await make("Retried", [{ step_ref: "once", job_id: failing }]));
  await world.runUntilIdle();
  await project.post("/v1/events/paid/send", { payload: { amount: 7 } });
  isBroken = false;
  await project.post(`/v1/workflow-runs/${retried}/steps/once/retry`);
  await world.runUntilIdle();
}

/** A pause and its resume, a cancel with a compensation, and a bulk cancel. */
async function stopThings({ world, receiver, endpoints }: Life, project: ProjectClient): Promise<void> {
  let release = () => {};
  const isPaused = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = receiver.endpoint("held", async () => {
    await isPaused;
    return {};
  });
  const quick = await makeJob(project, endpoints.quick, { name: "Quick" });
  const start = async (name: string, first: object, next: object) => {
    const { body } = await project.post("/v1/workflows", { name, steps: [first, { depends_on: ["one"], ...next }] });
    return (await project.post(`/v1/workflows/${body.id}/trigger`)).body.id;
  };
  const one = { step_ref: "one", job_id: await makeJob(project, held, { name: "Held" }) };
  const paused = await start("Paused", one, { step_ref: "two", job_id: quick });
  await until("its first step to run", 20_000, async () => {
    await world.tick("poll-queue");
    return receiver.dispatches.some(({ workflow_run_id }) => workflow_run_id === paused);
  });
  await project.post(`/v1/workflow-runs/${paused}/pause`);
  release();
  await world.runUntilIdle();
  await project.post(`/v1/workflow-runs/${paused}/resume`);
  const undone = { step_ref: "one", job_id: quick, compensate_job_id: quick };
  const canceled = await start("Canceled", undone, { step_ref: "rest", type: "sleep", sleep_duration: "1h" });
  await world.runUntilIdle();
  await project.post(`/v1/workflow-runs/${canceled}/cancel`);
  const later = await makeJob(project, endpoints.quick, { name: "Later" });
  for (let nth = 0; nth < 3; nth++) await project.post(`/v1/jobs/${later}/trigger`, { delay_secs: 3_600 });
  await project.post("/v1/runs/bulk-cancel-all", { filter: { job_id: later } });
  await world.runUntilIdle();
}
