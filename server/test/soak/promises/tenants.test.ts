import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { tenantFigures } from "../../harness/check/tenants.ts";
import type { ProjectClient } from "../../harness/client.ts";
import { type Harness, openHarness } from "../../harness/open-harness.ts";
import { makeJob, makeWorkflow } from "../../seed/make-workflow.ts";
import { useServices } from "../../service/start-service.ts";
import { runSql } from "../../world/database.ts";
import { scenarioSize } from "../../world/size.ts";
import { until } from "../../world/until.ts";

useServices();

const SIZE = scenarioSize({
  quick: { children: 200, samples: 3, rounds: 1 },
  usual: { children: 1_000, samples: 5, rounds: 3 },
  whole: { children: 5_000, samples: 20, rounds: 3 },
});

it("a project that cancels a thousand sub-workflows does not delay another one", async () => {
  const harness = await openHarness({ name: "tenants" });
  const [busy, other] = [await harness.project(), await harness.project()];
  const measure = await openMeasurements(harness, other);
  await measure(1); // every instance has opened its connections and planned its statements
  const cancelAlone = await startMany(harness, busy);
  console.info(`${SIZE.children} children had ended ${await cancelAlone()} ms after the cancel, with no other work`);
  const alone: Times = {};
  const contended: Times = {};
  // Alternating: a single sample on a busy machine proves nothing.
  for (let round = 0; round < SIZE.rounds; round++) {
    const cancel = await startMany(harness, busy);
    add(alone, await measure(SIZE.samples));
    const ended = cancel();
    add(contended, await measure(SIZE.samples));
    console.info(
      `${SIZE.children} children had ended ${await ended} ms after the cancel, with another project working`,
    );
  }
  harness.timings.push(
    ...Object.entries(alone).map(([what, alone_ms]) => ({ what, alone_ms, contended_ms: contended[what] ?? [] })),
  );
  await harness.settle(120_000);

  const { history, violations } = await harness.check();
  for (const { what, alone_ms, contended_ms, ratio } of tenantFigures(history)) {
    console.info(`${what}: ${alone_ms} ms alone, ${contended_ms} ms during the cancel, ratio ${ratio}`);
  }
  expect(violations).toEqual({});
});

/** Returns a function that cancels them all and returns the milliseconds until the last had ended. */
async function startMany({ connection }: Harness, project: ProjectClient): Promise<() => Promise<number>> {
  const rest = { step_ref: "rest", type: "sleep", sleep_duration: "1h" };
  const { id: workflow_id } = await makeWorkflow({ api: project }, { name: "Child", steps: [rest] });
  const items = Array.from({ length: SIZE.children }, (_, nth) => nth);
  const each = { step_ref: "each", type: "map", items, workflow_id, max_parallel: Math.min(1_000, items.length) };
  const { path } = await makeWorkflow({ api: project }, { name: "Parent", steps: [each] });
  const { body } = await project.post(`${path}/trigger`, {});
  const waiting = "select 1 from event_triggers where project_id = $1 and status = 'waiting' having count(*) >= $2";
  const isReady = async () => (await runSql(connection, waiting, [project.project_id, each.max_parallel])).length > 0;
  await until("all of them to sleep", 90_000, isReady);
  return async () => {
    const startedAt = Date.now();
    await project.post(`/v1/workflow-runs/${body.id}/cancel`);
    const ends = `select max(finished_at) as last from workflow_runs where project_id = $1 and parent_workflow_run_id = $2
      having count(*) = count(finished_at)`;
    const last = async () => (await runSql<{ last: Date }>(connection, ends, [project.project_id, body.id]))[0]?.last;
    return (await until("the last one to end", 90_000, last)).getTime() - startedAt;
  };
}

type Times = Record<string, number[]>;

function add(all: Times, some: Times): void {
  for (const [what, ms] of Object.entries(some)) all[what] = [...(all[what] ?? []), ...ms];
}

/** This many of each, concurrently, in milliseconds. */
type Measure = (samples: number) => Promise<Times>;

async function openMeasurements({ receiver, connection }: Harness, project: ProjectClient): Promise<Measure> {
  const api = { api: project };
  const answered = new Map<string, number>();
  const came = new Map<string, number>();
  const endpoint = (name: string, before: (tag: string) => unknown = () => {}) =>
    receiver.endpoint(name, async ({ body }) => {
      came.set(`${name} ${body.payload.tag}`, Date.now());
      await before(body.payload.tag);
      answered.set(`${name} ${body.payload.tag}`, Date.now());
      return {};
    });
  const from = (name: string, tag: string) => answered.get(`${name} ${tag}`) ?? 0;
  const at = (name: string, tag: string) => until(`${name} of ${tag}`, 60_000, () => came.get(`${name} ${tag}`));

  const emitter = await makeJob(api, { name: "Emitter", endpoint_url: endpoint("emitter") });
  const received = await makeJob(api, { name: "Received", endpoint_url: endpoint("received") });
  const listens = await makeWorkflow(api, {
    name: "Listens",
    steps: [
      { step_ref: "wait", type: "wait_for_event", event_key: "e-{{payload.tag}}" },
      { step_ref: "received", job_id: received.id, depends_on: ["wait"] },
    ],
  });
  const emits = await makeWorkflow(api, {
    name: "Emits",
    steps: [{ step_ref: "emit", job_id: emitter.id, event_emit_key: "e-{{payload.tag}}", event_emit_buffer_secs: 60 }],
  });
  const child = await makeJob(api, { name: "Child", endpoint_url: endpoint("child") });
  const parent_url = receiver.endpoint("parent", async ({ body, report }) => {
    const { tag } = body.payload;
    if (body.waits.length > 0) came.set(`parent ${tag}`, Date.now());
    else await report("spawn", { job_id: child.id, wait: true, payload: { tag } });
    return {};
  });
  const parent = await makeJob(api, { name: "Parent", endpoint_url: parent_url });
  const slow = await makeJob(api, {
    name: "Slow",
    endpoint_url: endpoint("slow", () => pause(30_000, undefined, { ref: false })),
  });
  const stopped = await makeWorkflow(api, { name: "Stopped", steps: [{ step_ref: "slow", job_id: slow.id }] });

  async function emit(tag: string): Promise<number> {
    await project.post(`${listens.path}/trigger`, { payload: { tag } });
    await project.post(`${emits.path}/trigger`, { payload: { tag } });
    return (await at("received", tag)) - from("emitter", tag);
  }

  async function spawn(tag: string): Promise<number> {
    await project.post(`/v1/jobs/${parent.id}/trigger`, { payload: { tag } });
    return (await at("parent", tag)) - from("child", tag);
  }

  /** From the call until the step's run has ended. */
  async function cancel(tag: string): Promise<number> {
    const { body } = await project.post(`${stopped.path}/trigger`, { payload: { tag } });
    await at("slow", tag);
    const startedAt = Date.now();
    await project.post(`/v1/workflow-runs/${body.id}/cancel`);
    const ended = "select finished_at from runs where workflow_run_id = $1 and status = 'canceled'";
    const isOver = async () => (await runSql<{ finished_at: Date }>(connection, ended, [body.id]))[0]?.finished_at;
    return (await until("the step's run to end", 60_000, isOver)).getTime() - startedAt;
  }

  let taken = 0;
  return async (samples) => {
    const all = Array.from({ length: samples }, () => `tag${taken++}`);
    const [emitted, spawned, canceled] = await Promise.all(
      [emit, spawn, cancel].map((each) => Promise.all(all.map(each))),
    );
    return { "emit to resume": emitted ?? [], "awaited spawn": spawned ?? [], "step cancel": canceled ?? [] };
  };
}
