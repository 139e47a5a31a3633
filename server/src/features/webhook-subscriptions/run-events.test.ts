import { RUN_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it } from "vitest";
import { listener } from "../../../test/oracles/published-events.ts";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { makeJob } from "../../../test/seed/make-workflow.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { RUN_TRANSITIONS } from "../../flow/runs/states.ts";
import { senderOf } from "../webhook-deliveries/sender.ts";
import { publishChanges } from "./publish-changes.ts";
import { runEventTypes } from "./run-event-types.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function triggered(project: TestProject, job: object, body: object = {}): Promise<string> {
  const { id } = await makeJob(project, job);
  const response = await project.api.post(`/v1/jobs/${id}/trigger`, body);
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id;
}

describe("run events", () => {
  it("H1 cover every change from start to end, in order, with the run and the transition", async () => {
    const project = await world.project();
    const { published } = await listener(world, project.id, { events: ["run.*"] });
    const endpoint = (await jobEndpoint()).respondWith(500, { status: 200, body: { ok: true } });
    const retry = { retry_strategy: "custom", retry_delays_secs: [0] };
    const run_id = await triggered(project, { endpoint_url: endpoint.url, ...retry }, { payload: { n: 1 } });
    await world.runUntilIdle();
    const events = await published();
    expect(events.map(({ type }) => type)).toEqual([
      "run.created",
      "run.started",
      "run.retrying",
      "run.started",
      "run.completed",
    ]);
    const { $schema: _, ...run } = (await project.api.get(`/v1/runs/${run_id}`)).body;
    expect(events.at(-1)).toEqual({
      type: "run.completed",
      id: expect.any(String),
      created_at: run.finished_at,
      data: run,
      transition: expect.objectContaining({ ordinal: 5, from_status: "running", to_status: "completed", attempt: 2 }),
    });
    const { data } = (await project.api.get("/v1/webhook-deliveries")).body;
    expect(new Set(data.map((each: { source_id: string }) => each.source_id))).toEqual(new Set([run_id]));
  });

  it("H3 arrive as a signed webhook with the event's id", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    await listener(world, project.id, { url: receiver.url, events: ["run.completed"] });
    const endpoint = await jobEndpoint();
    const run_id = await triggered(project, { endpoint_url: endpoint.url });
    await world.runUntilIdle();
    await world.tick("publish-webhooks");
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    expect(receiver.dispatches).toHaveLength(1);
    const [dispatch] = receiver.dispatches;
    if (!dispatch) throw new Error("nothing came");
    const published = new Webhook(project.webhook_secret).verify(
      dispatch.raw,
      dispatch.headers as Record<string, string>,
    );
    expect(published).toMatchObject({
      type: "run.completed",
      id: dispatch.headers["webhook-id"],
      data: { id: run_id },
    });
  });

  it("publish a failure as such and as a dead letter", async () => {
    const project = await world.project();
    const { types } = await listener(world, project.id, { events: ["run.failed", "run.dead_lettered"] });
    const endpoint = (await jobEndpoint()).respondWith(500);
    await triggered(project, { endpoint_url: endpoint.url, max_attempts: 1 });
    await world.runUntilIdle();
    expect((await types()).toSorted()).toEqual(["run.dead_lettered", "run.failed"]);
  });

  it("publish a dead letter even if it was replayed or discarded before it could be published", async () => {
    const project = await world.project();
    const { types } = await listener(world, project.id, { events: ["run.dead_lettered"] });
    for (const verb of ["replay", "discard"]) {
      const { sdk, run_id } = await runningRun(world, project);
      await sdk.post("/fail", { error: { message: "no" }, retryable: false });
      expect((await project.api.get(`/v1/runs/${run_id}`)).body.dead_lettered_at).not.toBeNull();
      expect((await project.api.post(`/v1/runs/${run_id}/${verb}`)).status).toBeLessThan(300);
    }
    expect(await types()).toEqual(["run.dead_lettered", "run.dead_lettered"]);
  });

  it("cover pauses, waits and cancels", async () => {
    const project = await world.project();
    const { types } = await listener(world, project.id, { events: ["*"] });
    const paused = await triggered(project, {}, { delay_secs: 3_600 });
    for (const verb of ["pause", "resume", "cancel"]) await project.api.post(`/v1/runs/${paused}/${verb}`);
    expect(await types()).toEqual(["run.created", "run.paused", "run.resumed", "run.canceled"]);
    const waiting = await listener(world, project.id, { events: ["run.waiting", "run.resumed"] });
    const run = await runningRun(world, project);
    await run.sdk.post("/wait-for-event", { event_key: "go" });
    await project.api.post("/v1/events/go/send", { payload: 1 });
    expect(await waiting.types()).toEqual(["run.waiting", "run.resumed"]);
  });

  it("have a type for every legal transition, and a transition for every type", () => {
    const named = RUN_TRANSITIONS.map(([from_status, to_status]) => runEventTypes({ from_status, to_status }));
    expect(named.every((types) => types.length > 0)).toBe(true);
    expect(new Set(named.flat())).toEqual(new Set(RUN_EVENTS));
  });
});

describe("subscribers that get an event", () => {
  it("are those of its type, of its category, or of all events, and no others", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const byName = await listener(world, project.id, { events: ["run.canceled", "workflow_run.completed"] });
    const byKind = await listener(world, project.id, { events: ["run.*"] });
    const all = await listener(world, project.id, { events: ["*"] });
    const none = await listener(world, project.id, { events: ["workflow_run.*", "budget.*"] });
    const disabled = await listener(world, project.id, { events: ["*"], enabled: false });
    const foreign = await listener(world, other.id, { events: ["*"] });
    const run_id = await triggered(project, {}, { delay_secs: 60 });
    await project.api.post(`/v1/runs/${run_id}/cancel`);
    expect(await byName.types()).toEqual(["run.canceled"]);
    for (const each of [byKind, all]) expect(await each.types()).toEqual(["run.created", "run.canceled"]);
    for (const each of [none, disabled, foreign]) expect(await each.types()).toEqual([]);
    // All subscribers get the event with the same id.
    const ids = await Promise.all([byKind, all].map(async ({ published }) => (await published()).map(({ id }) => id)));
    expect(ids[0]).toEqual(ids[1]);
  });

  it("do not get events from before they subscribed", async () => {
    const project = await world.project();
    await listener(world, project.id, { events: ["*"] });
    const run_id = await triggered(project, {}, { delay_secs: 60 });
    await world.clock.pass("1s");
    const late = await listener(world, project.id, { events: ["*"] });
    await world.clock.pass("1s");
    await project.api.post(`/v1/runs/${run_id}/cancel`);
    expect(await late.types()).toEqual(["run.canceled"]);
  });

  it("get only the events of their environment, if they have one", async () => {
    const project = await world.project();
    const idOf = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id as string;
    const staging = await listener(world, project.id, { environment_id: await idOf("staging") });
    const production = await listener(world, project.id, { environment_id: await idOf("production") });
    await triggered(project, {}, { delay_secs: 60, environment_id: "staging" });
    expect([await staging.types(), await production.types()]).toEqual([["run.created"], []]);
    const { data } = (await project.api.get("/v1/webhook-deliveries")).body;
    expect(data).toMatchObject([{ environment_id: await idOf("staging") }]);
  });

  it("are those whose filter is true; a filter error delivers nothing, and is counted", async () => {
    const project = await world.project();
    const fits = await listener(world, project.id, {
      filter: 'event.data.tags.team == "a" && event.data.priority > 3',
    });
    const fitsNot = await listener(world, project.id, { filter: 'event.data.tags.team == "b"' });
    const fails = await listener(world, project.id, { filter: "event.data.payload.deep.down == 1" });
    await triggered(project, {}, { delay_secs: 60, tags: { team: "a" }, priority: 5 });
    expect([await fits.types(), await fitsNot.types(), await fails.types()]).toEqual([["run.created"], [], []]);
    const shown = async (id: string) => (await project.api.get(`/v1/webhook-subscriptions/${id}`)).body;
    expect(await shown(fails.id)).toMatchObject({
      filter_errors: 1,
      last_filter_error: expect.stringContaining("deep"),
      last_filter_error_at: expect.any(String),
    });
    expect(await shown(fitsNot.id)).toMatchObject({ filter_errors: 0, last_filter_error: null });
  });
});

describe("the task publish-webhooks", () => {
  it("H1 inserts each delivery once, even with six concurrent instances, and none for a deleted run", async () => {
    const project = await world.project();
    const { published } = await listener(world, project.id, { events: ["run.created"] });
    const gone = await triggered(project, {}, { delay_secs: 60 });
    await Promise.all(Array.from({ length: 30 }, () => triggered(project, {}, { delay_secs: 60 })));
    await runSql(world.connection, "delete from runs where id = $1", [gone]);
    await runSql(world.connection, "delete from run_queue where run_id = $1", [gone]);
    await Promise.all(Array.from({ length: 6 }, () => publishChanges(world.ctx)));
    const ids = (await published()).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
  });

  it("H1 could not insert a delivery twice even if it read the same transition again", async () => {
    const project = await world.project();
    const { published } = await listener(world, project.id, { events: ["run.created"] });
    await triggered(project, {}, { delay_secs: 60 });
    const [first] = await published();
    await runSql(world.connection, "delete from log_cursors where consumer = 'publish-webhooks'");
    expect(await published()).toEqual([first]);
  });
});
