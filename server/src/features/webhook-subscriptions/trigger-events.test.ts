import { beforeAll, describe, expect, it } from "vitest";
import { listener } from "../../../test/oracles/published-events.ts";
import { makeWorkflow } from "../../../test/seed/make-workflow.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { whenProgressed } from "../../flow/workflows/progress/progress-soon.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const entriesOf = (project_id: string) =>
  runSql(world.connection, "select 1 from outbox where project_id = $1 and kind = 'publish_event_trigger'", [
    project_id,
  ]);

describe("event trigger events", () => {
  it("H1 are published when a trigger starts to wait and when it receives, with the trigger as GET returns it", async () => {
    const project = await world.project();
    const { published } = await listener(world, project.id, { events: ["event_trigger.*"] });
    const run = await runningRun(world, project);
    await run.sdk.post("/wait-for-event", { event_key: "order:7" });
    expect((await published()).map(({ type }) => type)).toEqual(["event_trigger.created"]);
    await world.clock.pass("1s");
    await project.api.post("/v1/events/order:7/send", { payload: { paid: true } });
    const events = await published();
    expect(events.map(({ type }) => type)).toEqual(["event_trigger.created", "event_trigger.received"]);
    const { $schema: _, callback_url: _url, ...shown } = (await project.api.get("/v1/events/order:7")).body;
    expect(events[1]).toMatchObject({ data: shown, created_at: shown.received_at });
  });

  it("publish both at once for a trigger with a stored event", async () => {
    const project = await world.project();
    const { types } = await listener(world, project.id, { events: ["event_trigger.*"] });
    await project.api.post("/v1/events/early/send", { payload: 1, buffer_secs: 60 });
    const run = await runningRun(world, project);
    await run.sdk.post("/wait-for-event", { event_key: "early" });
    expect((await types()).toSorted()).toEqual(["event_trigger.created", "event_trigger.received"]);
  });

  it("cover timeouts and cancels, of runs and of steps", async () => {
    const project = await world.project();
    const { types } = await listener(world, project.id, {
      events: ["event_trigger.timed_out", "event_trigger.canceled"],
    });
    const [late, canceled] = [await runningRun(world, project), await runningRun(world, project)];
    await late.sdk.post("/wait-for-event", { event_key: "late", timeout_secs: 5 });
    await canceled.sdk.post("/wait-for-event", { event_key: "never" });
    const steps = [{ step_ref: "w", type: "wait_for_event", event_key: "of-a-step" }];
    const { path } = await makeWorkflow(project, { steps });
    const { body: run } = await project.api.post(`${path}/trigger`, {});
    await whenProgressed(world.ctx); // the step's wait starts after the response, because its key is locked first
    await project.api.post(`/v1/runs/${canceled.run_id}/cancel`);
    await world.clock.pass("1s");
    await project.api.post(`/v1/workflow-runs/${run.id}/cancel`);
    await world.clock.pass("5s");
    await world.runUntilIdle();
    expect(await types()).toEqual(["event_trigger.canceled", "event_trigger.canceled", "event_trigger.timed_out"]);
  });

  it("include an approval's message, so that approvers can be notified; sleeps have no events", async () => {
    const project = await world.project();
    const { published } = await listener(world, project.id, { events: ["event_trigger.created"] });
    const steps = [
      { step_ref: "ask", type: "approval", message: "Ship {{payload.n}}?" },
      { step_ref: "rest", type: "sleep", sleep_duration: "1h" },
    ];
    const { path } = await makeWorkflow(project, { steps });
    await project.api.post(`${path}/trigger`, { payload: { n: 7 } });
    expect((await published()).map(({ data }) => [data.wait_kind, data.message])).toEqual([["approval", "Ship 7?"]]);
  });

  it("cost nothing without subscribers: no outbox entry is written", async () => {
    const project = await world.project();
    await listener(world, project.id, { events: ["run.*"] });
    await listener(world, project.id, { events: ["event_trigger.*"], enabled: false });
    const run = await runningRun(world, project);
    await run.sdk.post("/wait-for-event", { event_key: "quiet" });
    expect(await entriesOf(project.id)).toEqual([]);
    await listener(world, project.id, { events: ["event_trigger.received"] });
    await project.api.post("/v1/events/quiet/send", { payload: 1 });
    expect(await entriesOf(project.id)).toHaveLength(1);
  });
});
