import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../../test/seed/seed-delivery.ts";
import { seedSubscription } from "../../../../test/seed/seed-subscription.ts";
import { seedTrigger } from "../../../../test/seed/seed-trigger.ts";
import { runSql } from "../../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { newId } from "../../../platform/ids.ts";
import { senderOf } from "../../webhook-deliveries/sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-06-15T12:00:30Z");
});

const get = async ({ api }: TestProject, path: string) => {
  const response = await api.get(`/v1/analytics/${path}`);
  expect(response.status, response.text).toBe(200);
  return response.body;
};

describe("GET /v1/analytics/events/volume", () => {
  it("N9 counts waits over time, as they begin and as they end", async () => {
    const project = await world.project();
    const sent = await seedTrigger(world.connection, project.id);
    await seedTrigger(world.connection, project.id, { status: "timed_out" });
    await seedTrigger(world.connection, project.id, { status: "canceled", wait_kind: "approval" });
    await seedTrigger(world.connection, project.id, { wait_kind: "sleep" });
    await world.tick("recount-events");
    const sending = await project.api.post(`/v1/events/${sent.event_key}/send`, { payload: 1 });
    expect(sending.status, sending.text).toBe(200);
    for (let pass = 0; pass < 3; pass++) await world.tick("recount-events");
    const response = await get(project, "events/volume?bucket=5m");
    expect(response.total).toEqual({ created: 3, received: 1, timed_out: 1, canceled: 1, dispatched: 0, rejected: 0 });
    expect(response.buckets.at(-1)).toMatchObject({ starts_at: "2030-06-15T12:00:00.000Z", created: 3, received: 1 });
    expect(response.buckets[0]).toMatchObject({ created: 0, received: 0 });
  });

  it("filters by job", async () => {
    const project = await world.project();
    const { job_run_id } = await seedTrigger(world.connection, project.id, { status: "received" });
    await seedTrigger(world.connection, project.id, { status: "received" });
    await world.tick("recount-events");
    const [run] = await runSql<{ job_id: string }>(world.connection, "select job_id from runs where id = $1", [
      job_run_id,
    ]);
    expect((await get(project, `events/volume?job_id=${run?.job_id}`)).total.received).toBe(1);
    expect((await get(project, "events/volume")).total.received).toBe(2);
  });

  it("counts events received by sources, and keeps the counts after the events are purged", async () => {
    const project = await world.project();
    const source = await project.api.post("/v1/event-sources", { name: "Shop" });
    expect(source.status, source.text).toBe(201);
    const dispatched = await project.api.post("/v1/events/dispatch", { source: source.body.slug, payload: { a: 1 } });
    expect(dispatched.status, dispatched.text).toBeLessThan(300);
    await world.tick("recount-events");
    expect((await get(project, "events/volume")).total.dispatched).toBe(1);
    await world.clock.pass("2h");
    await world.tick("recount-events");
    await runSql(world.connection, "delete from source_events where project_id = $1", [project.id]);
    for (let pass = 0; pass < 2; pass++) await world.tick("recount-events");
    expect((await get(project, "events/volume")).total.dispatched).toBe(1);
  });

  it("keeps the counts of the current minute when its waits are purged", async () => {
    const project = await world.project();
    for (let nth = 0; nth < 3; nth++) await seedTrigger(world.connection, project.id, { status: "received" });
    await world.tick("recount-events");
    await world.clock.pass("1s");
    expect((await project.api.post("/v1/events/purge", { older_than_days: 0 })).body.deleted).toBe(3);
    const source = await project.api.post("/v1/event-sources", { name: "Shop" });
    await project.api.post("/v1/events/dispatch", { source: source.body.slug, payload: { a: 1 } });
    await world.tick("recount-events");
    expect((await get(project, "events/volume")).total).toMatchObject({ created: 3, received: 3, dispatched: 1 });
  });

  it("counts a late commit in the minute in which it happened", async () => {
    const project = await world.project();
    const { id } = await seedTrigger(world.connection, project.id);
    await world.tick("recount-events");
    const [start] = await runSql<{ now: Date }>(world.connection, "select clock() as now");
    await world.clock.pass("4s");
    await world.tick("recount-events");
    await runSql(
      world.connection,
      `update event_triggers set prev_status = status, status = 'canceled', finished_at = $2 where project_id = $1 and id = $3`,
      [project.id, start?.now, id],
    );
    await world.tick("recount-events");
    expect((await get(project, "events/volume")).total).toMatchObject({ created: 1, canceled: 1 });
  });
});

describe("GET /v1/analytics/webhooks/endpoint-health", () => {
  const deliver = async () => {
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    await world.tick("recount-webhooks");
  };

  it("N11 reports responses per endpoint and bucket", async () => {
    const project = await world.project();
    const [good, bad] = [await jobEndpoint(), (await jobEndpoint()).respondWith(400)];
    const subscription = await seedSubscription(world.connection, project.id, { url: bad.url, enabled: false });
    for (let nth = 0; nth < 3; nth++) await seedDelivery(world.connection, project.id, { url: good.url });
    const failed = await seedDelivery(world.connection, project.id, { url: bad.url });
    await runSql(
      world.connection,
      "update webhook_deliveries set subscription_id = $3 where project_id = $1 and id = $2",
      [...[project.id, failed, subscription]],
    );
    await deliver();
    await deliver();
    const now = await world.clock.now();
    const from = new Date(Date.parse(now) - 3_600_000).toISOString();
    const { data } = await get(project, `webhooks/endpoint-health?from=${from}&to=${now}&bucket=5m`);
    expect(data).toMatchObject([
      {
        ...{
          endpoint: bad.url,
          subscription_id: subscription,
          enabled: false,
          attempts: 1,
          refused: 1,
          success_rate: 0,
        },
        last_failure: { delivery_id: failed, status_code: 400 },
      },
      {
        endpoint: new URL(good.url).host,
        subscription_id: null,
        attempts: 3,
        delivered: 3,
        success_rate: 1,
        last_failure: null,
      },
    ]);
    expect(data[1].p95_ms).not.toBeNull();
    expect(data[1].buckets.length).toBeGreaterThanOrEqual(12);
    expect(data[1].buckets.at(-1)).toMatchObject({ attempts: 3, delivered: 3 });
  });

  it("N11 reports the last failure in the requested environment", async () => {
    const project = await world.project();
    const flaky = (await jobEndpoint()).respondWith(400, 200);
    const subscription = await seedSubscription(world.connection, project.id, { url: flaky.url });
    for (const slug of ["production", "staging"]) {
      const delivery = await seedDelivery(world.connection, project.id, { url: flaky.url });
      const { id } = (await project.api.get(`/v1/environments/${slug}`)).body;
      await runSql(
        world.connection,
        "update webhook_deliveries set subscription_id = $3, environment_id = $4 where project_id = $1 and id = $2",
        [project.id, delivery, subscription, id],
      );
      await deliver();
    }
    const of = async (slug: string) => (await get(project, `webhooks/endpoint-health?environment_id=${slug}`)).data[0];
    expect(await of("production")).toMatchObject({ attempts: 1, refused: 1, last_failure: { status_code: 400 } });
    expect(await of("staging")).toMatchObject({ attempts: 1, delivered: 1, last_failure: null });
  });

  it("counts unreported attempts as lost once their time is up", async () => {
    const project = await world.project();
    const delivery = await seedDelivery(world.connection, project.id, {
      status: "failed",
      url: "http://gone.example.com/",
    });
    await runSql(
      world.connection,
      `insert into webhook_attempts (project_id, id, delivery_id, url, attempt, started_at)
       values ($1, $2, $3, 'http://gone.example.com/', 1, clock())`,
      [project.id, newId(), delivery],
    );
    await world.tick("recount-webhooks");
    expect((await get(project, "webhooks/endpoint-health")).data).toEqual([]);
    await world.clock.pass("121s");
    await world.tick("recount-webhooks");
    expect((await get(project, "webhooks/endpoint-health")).data).toMatchObject([{ attempts: 1, lost: 1 }]);
  });
});
