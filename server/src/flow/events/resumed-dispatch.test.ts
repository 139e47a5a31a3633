import { triesOf } from "@millrace/contract/jobs/tries";
import type { Run } from "@millrace/contract/runs/runs";
import { beforeAll, describe, expect, it } from "vitest";
import { type DispatchBench, dispatchBench, pollQueue } from "../../../test/costs/dispatch-bench.ts";
import { disorder } from "../../../test/oracles/queue-order.ts";
import { type Dispatch, jobEndpoint, type Script } from "../../../test/outside/job-endpoint.ts";
import { sdkOf } from "../../../test/seed/running-run.ts";
import { makeFlowWorld } from "../../../test/world/flow-world.ts";
import { until } from "../../../test/world/until.ts";
import type { World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { sendEvent } from "./send-event.ts";

let world: World;
beforeAll(async () => {
  world = await makeFlowWorld();
  await world.clock.set("2030-01-01T00:00:00Z");
});

const sdk = (dispatch: Dispatch | undefined) =>
  sdkOf(world, dispatch?.run_id ?? "", String(dispatch?.headers["x-svc-run-token"]));

const sendTo = ({ project }: DispatchBench, event_key: string, payload: unknown) =>
  sendEvent(world.ctx, { project_id: project.id, event_key, payload, sent_by: "test" });

async function later(duration: string): Promise<void> {
  await world.clock.pass(duration);
  await world.runUntilIdle();
}

/** Calls the SDK while it is dispatched, then returns 200 with a body that must be ignored. */
function calling(path: string, body: () => object, state?: object): Script {
  return async (dispatch, response) => {
    if (state) await sdk(dispatch).post("/checkpoint", { state });
    const reply = await sdk(dispatch).post(path, body());
    response.writeHead(reply.status === 201 ? 200 : 418).end('{"of":"the attempt that waited"}');
  };
}
const waiting = (event_key: string, state?: object) => calling("/wait-for-event", () => ({ event_key }), state);

describe("a waiting run", () => {
  it("T3 ignores the response of the attempt that began to wait, and continues with the event's payload as checkpoint", async () => {
    const event_key = `paid-${newId()}`;
    const bench = await dispatchBench(world, waiting(event_key, { step: 1 }), { status: 200, body: { done: true } });
    const run_id = await bench.run({}, { payload: { order: 7 } });
    await world.runUntilIdle();
    expect(await bench.read(run_id)).toMatchObject({ status: "waiting", attempt: 1, result: null });

    await sendTo(bench, event_key, { amount: 12.5 });
    await world.runUntilIdle();
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", attempt: 2, result: { done: true } });
    expect(bench.endpoint.dispatches[0]?.body).toMatchObject({ checkpoint: null, state: null, waits: [] });
    expect(bench.endpoint.dispatches[1]?.body).toMatchObject({
      attempt: 2,
      payload: { order: 7 },
      tries_used: 0,
      checkpoint: { amount: 12.5 },
      state: { step: 1 },
      waits: [{ event_key, ordinal: 1, status: "received", payload: { amount: 12.5 } }],
    });
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("T3 keeps checkpoint, state and waits on retries; a state saved later changes only the state", async () => {
    const event_key = `retry-${newId()}`;
    const failing: Script = async (dispatch, response) => {
      await sdk(dispatch).post("/checkpoint", { state: "saved later" });
      response.writeHead(500).end();
    };
    const bench = await dispatchBench(world, waiting(event_key), failing, 500, 200);
    const run_id = await bench.run();
    await world.runUntilIdle();
    await sendTo(bench, event_key, ["event"]);
    for (let pass = 0; pass < 3; pass++) await later("1m");
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", attempt: 4 });
    const [, second, third, fourth] = bench.endpoint.dispatches.map(({ body }) => body);
    expect(second).toMatchObject({ checkpoint: ["event"], state: null, tries_used: 0 });
    expect(third).toMatchObject({ checkpoint: ["event"], state: "saved later", tries_used: 1 });
    expect(fourth).toMatchObject({ checkpoint: ["event"], state: "saved later", tries_used: 2 });
    for (const { waits } of [second, third, fourth]) expect(waits).toMatchObject([{ event_key, payload: ["event"] }]);
  });

  it("T3 has all its tries again: failures before the wait do not count after it", async () => {
    const event_key = `tries-${newId()}`;
    const bench = await dispatchBench(world, 500, 500, waiting(event_key), 500, 500, 200);
    const run_id = await bench.run({ max_attempts: 3 });
    for (let pass = 0; pass < 3; pass++) await later("1m");
    expect(await bench.read(run_id)).toMatchObject({ status: "waiting", attempt: 3, tries_used: 2 });
    await sendTo(bench, event_key, 1);
    for (let pass = 0; pass < 3; pass++) await later("1m");
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", attempt: 6, error: null });
  });

  it("T3 uses no try by waiting: after three waits it is tried three times", async () => {
    const waits = Array.from({ length: 3 }, () => calling("/sleep", () => ({ secs: 1 })));
    const bench = await dispatchBench(world, ...waits, 500, 500, 500);
    const run_id = await bench.run({ max_attempts: 3 });
    await world.runUntilIdle();
    for (let waited = 1; waited <= 3; waited++) {
      const run = (await bench.read(run_id)) as unknown as Run;
      expect([run.status, run.attempt, run.tries_used, triesOf(run)]).toEqual(["waiting", waited, 0, 1]);
      await later("1m");
    }
    for (let pass = 0; pass < 3; pass++) await later("1m");
    const ended = (await bench.read(run_id)) as unknown as Run;
    expect([ended.status, ended.attempt, ended.tries_used, triesOf(ended)]).toEqual(["failed", 6, 3, 3]);
    expect(bench.endpoint.dispatches.map(({ body }) => body.tries_used)).toEqual([0, 0, 0, 0, 1, 2]);
  });

  it("T3 accepts JSON null as a payload: it is the checkpoint although a state was saved", async () => {
    const event_key = `null-${newId()}`;
    const bench = await dispatchBench(world, waiting(event_key, { saved: 1 }), 200);
    await bench.run();
    await world.runUntilIdle();
    await sendTo(bench, event_key, null);
    await world.runUntilIdle();
    expect(bench.endpoint.dispatches[1]?.body).toMatchObject({ checkpoint: null, state: { saved: 1 } });
  });

  it("T3 gets all its waits in order, including sleeps and awaited children, by dispatch and by GET", async () => {
    const event_key = `all-${newId()}`;
    const child = (await jobEndpoint()).respondWith({ status: 200, body: { from: "child" } });
    let child_job = "";
    const bench = await dispatchBench(
      world,
      waiting(event_key, { saved: 1 }),
      calling("/sleep", () => ({ secs: 60 })),
      calling("/spawn", () => ({ job_id: child_job, wait: true })),
      async (dispatch, response) => {
        const { body } = await sdk(dispatch).get("");
        response.writeHead(200).end(JSON.stringify({ checkpoint: body.checkpoint, waits: body.waits }));
      },
    );
    child_job = await bench.job({ name: "Child", endpoint_url: child.url });
    const run_id = await bench.run();
    await world.runUntilIdle();
    await sendTo(bench, event_key, "first");
    await world.runUntilIdle();
    await later("1m");
    await later("1m");
    const payload = { ok: true, status: "completed", output: { from: "child" } };
    const waits = [
      { event_key, ordinal: 1, status: "received", payload: "first" },
      { event_key: expect.stringMatching(/^sleep:/), ordinal: 2, status: "received", payload: null },
      { event_key: expect.stringMatching(/^child:/), ordinal: 3, status: "received", payload },
    ];
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", result: { checkpoint: payload, waits } });
    const bodies = bench.endpoint.dispatches.map(({ body }) => body);
    expect(bodies[3]).toMatchObject({ checkpoint: payload, waits });
    // A sleep has no payload: the run continues from the state it saved.
    expect(bodies[2]).toMatchObject({ checkpoint: { saved: 1 }, state: { saved: 1 } });
  });
});

describe("the old connection of a run that waited", () => {
  /** An endpoint whose first call waits for an event and stays open until the test sets the response. */
  async function holding(event_key: string) {
    const open: (() => void)[] = [];
    const script: Script = async (dispatch, response) => {
      await sdk(dispatch).post("/wait-for-event", { event_key });
      open.push(() => response.writeHead(200).end('{"of":"the old connection"}'));
    };
    const bench = await dispatchBench(world, script, { status: 202 });
    const run_id = await bench.run();
    await pollQueue(world.ctx);
    await until("the call that waits", 20_000, () => open.length === 1);
    return { bench, run_id, respondToOld: () => open[0]?.() };
  }

  it("T3 is ignored while the run waits", async () => {
    const { bench, run_id, respondToOld } = await holding(`old-${newId()}`);
    respondToOld();
    await world.runUntilIdle();
    expect(await bench.read(run_id)).toMatchObject({ status: "waiting", result: null });
  });

  it("T3 is ignored and aborted when the same instance has dispatched the run again", async () => {
    const event_key = `old-${newId()}`;
    const { bench, run_id, respondToOld } = await holding(event_key);
    await sendTo(bench, event_key, 1);
    await pollQueue(world.ctx);
    await until("the second dispatch", 20_000, () => bench.endpoint.dispatches.length === 2);
    // Without `abortRun` in the dispatcher's `take` it would stay open until the endpoint closes it, and hold a slot.
    await until("the connection to close", 20_000, () => bench.endpoint.dispatches[0]?.ended_at !== undefined);
    respondToOld();
    await world.runUntilIdle();
    expect(await bench.read(run_id)).toMatchObject({ status: "running", attempt: 2, result: null });
    await sdk(bench.endpoint.dispatches[1]).post("/complete", { result: "of the second" });
    expect(await bench.read(run_id)).toMatchObject({ status: "completed", result: "of the second" });
    expect(await disorder(world.connection)).toEqual([]);
  });

  it("T2 is aborted by the next renewal, so that a wait holds no slot of the instance", async () => {
    const { bench } = await holding(`old-${newId()}`);
    expect(bench.endpoint.dispatches[0]?.ended_at).toBeUndefined();
    await world.tick("renew-leases");
    await until("the connection to close", 20_000, () => bench.endpoint.dispatches[0]?.ended_at !== undefined);
  });
});
