import { beforeAll, describe, expect, it } from "vitest";
import { type JobEndpoint, jobEndpoint, type Script } from "../../../test/outside/job-endpoint.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { queueDeliveries } from "../../platform/webhooks/queue-deliveries.ts";
import { senderOf } from "./sender.ts";

const START = "2030-01-01T00:00:00.000Z";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

/** A delivery as a change inserts it, at midnight. */
async function queued(url: string) {
  await world.clock.set(START);
  // Those of earlier tests would be due, too.
  await runSql(world.connection, "delete from webhook_deliveries");
  const project = await world.project();
  const ctx: ProjectCtx = { ...world.callerCtx(), project_id: project.id };
  const event = { event_type: "thing.happened", source_type: "thing", source_id: "7", data: { text: "🦊" } };
  const [id = ""] = await inTransaction(ctx, (tx) => queueDeliveries(tx, [{ project_id: project.id, url, ...event }]));
  return { project, id };
}

const readDelivery = async ({ project, id }: { project: TestProject; id: string }) =>
  (await project.api.get(`/v1/webhook-deliveries/${id}`)).body;

async function retriesCounted(): Promise<number> {
  const { values } = await world.ctx.metrics.webhookRetryAttempts.get();
  return values[0]?.value ?? 0;
}

/** The time of each attempt, in seconds after the first. */
async function secondsOf(delivery: { project: TestProject; id: string }): Promise<number[]> {
  const { attempt_history } = await readDelivery(delivery);
  return attempt_history.map(
    (each: { started_at: string }) => (Date.parse(each.started_at) - Date.parse(START)) / 1_000,
  );
}

/** Advances the clock second by second with a pass each time. */
async function passSeconds(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await world.clock.pass("1s");
    await send();
  }
}

const silent: Script = (_, response) => void response.destroy();

describe("the task send-webhooks", () => {
  it("H1 tries five times, 5 s, 25 s, 125 s and 625 s after each failure, to the millisecond, then fails the delivery", async () => {
    const receiver = (await jobEndpoint()).respondWith(500);
    const delivery = await queued(receiver.url);
    await send();
    for (const [pauseSecs, attempts] of [5, 25, 125, 625].map((secs, index) => [secs, index + 1] as const)) {
      const before = await readDelivery(delivery);
      const now = Date.parse(await world.clock.now());
      expect(before).toMatchObject({ status: "pending", attempts, last_status_code: 500 });
      expect(Date.parse(before.next_attempt_at) - now).toBe(pauseSecs * 1_000);
      await world.clock.set(new Date(now + pauseSecs * 1_000 - 1).toISOString());
      await send();
      expect(receiver.dispatches).toHaveLength(attempts);
      await world.clock.set(new Date(now + pauseSecs * 1_000).toISOString());
      await send();
      expect(receiver.dispatches).toHaveLength(attempts + 1);
    }
    expect(await secondsOf(delivery)).toEqual([0, 5, 30, 155, 780]);
    expect(await readDelivery(delivery)).toMatchObject({
      status: "failed",
      attempts: 5,
      next_attempt_at: null,
      last_error: "The receiver responded with 500.",
      failed_at: await world.clock.now(),
    });
    await world.clock.pass("24h");
    await send();
    expect(receiver.dispatches).toHaveLength(5);
  });

  it("counts attempts by outcome, and deliveries when they end", async () => {
    const counts = async () => {
      const { webhookAttempts, webhookDeliveries } = world.ctx.metrics;
      const all = [...(await webhookAttempts.get()).values, ...(await webhookDeliveries.get()).values];
      return Object.fromEntries(all.map(({ labels, value }) => [Object.values(labels).join(), value]));
    };
    world.ctx.metrics.webhookAttempts.reset();
    world.ctx.metrics.webhookDeliveries.reset();
    await queued((await jobEndpoint()).respondWith(500, 410).url);
    await send();
    expect(await counts()).toEqual({ retryable: 1 });
    await passSeconds(6);
    expect(await counts()).toEqual({ retryable: 1, refused: 1, failed: 1 });
  });

  it("H1 sends the same bytes with the same id on every attempt, and stops when one is accepted", async () => {
    const receiver = (await jobEndpoint()).respondWith(503, 502, 200);
    const delivery = await queued(receiver.url);
    await send();
    await passSeconds(31);
    expect(receiver.dispatches).toHaveLength(3);
    expect(new Set(receiver.dispatches.map(({ raw }) => raw)).size).toBe(1);
    expect(new Set(receiver.dispatches.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([delivery.id]));
    expect(receiver.dispatches[0]?.body).toEqual({
      type: "thing.happened",
      id: delivery.id,
      created_at: START,
      data: { text: "🦊" },
    });
    expect(await readDelivery(delivery)).toMatchObject({ status: "delivered", attempts: 3, last_status_code: 200 });
  });

  it.each([400, 401, 403, 404, 408, 410, 422, 425, 429, 499])(
    "H2 %s fails at once, with the receiver's response",
    async (status) => {
      const receiver = (await jobEndpoint()).respondWith({ status, body: { reason: "no" } });
      const delivery = await queued(receiver.url);
      await send();
      expect(await readDelivery(delivery)).toMatchObject({
        status: "failed",
        attempts: 1,
        last_status_code: status,
        last_error: `The receiver responded with ${status}: {"reason":"no"}`,
        next_attempt_at: null,
      });
    },
  );

  it.each([301, 302, 303, 307, 308, 304])("H2 %s is not followed and counts as a rejection", async (status) => {
    const elsewhere = await jobEndpoint();
    const receiver = (await jobEndpoint()).respondWith({ status, headers: { location: elsewhere.url } });
    const delivery = await queued(receiver.url);
    await send();
    await world.clock.pass("1h");
    await send();
    expect([receiver.dispatches.length, elsewhere.dispatches.length]).toEqual([1, 0]);
    expect(await readDelivery(delivery)).toMatchObject({ status: "failed", attempts: 1, last_status_code: status });
  });

  it.each<[string, Script]>([
    ["a connection that is cut", silent],
    [
      "a truncated response",
      (_, response) => void response.writeHead(200, { "content-length": "9" }).write("a", () => response.destroy()),
    ],
    ["500", 500],
    ["503", 503],
    ["599", 599],
  ])("H2 %s is retried, and fails after the fifth attempt", async (_, script) => {
    const receiver = (await jobEndpoint()).respondWith(script);
    const delivery = await queued(receiver.url);
    await send();
    for (const pauseSecs of [5, 25, 125, 625]) {
      await world.clock.pass(`${pauseSecs}s`);
      await send();
    }
    expect(receiver.dispatches).toHaveLength(5);
    expect(await readDelivery(delivery)).toMatchObject({ status: "failed", attempts: 5 });
  });

  it("H2 retries an unreachable receiver", async () => {
    const gone = await jobEndpoint();
    await gone.close();
    const delivery = await queued(gone.url);
    await send();
    const { status, last_error, last_status_code, next_attempt_at } = await readDelivery(delivery);
    expect([status, last_status_code, next_attempt_at]).toEqual(["pending", null, "2030-01-01T00:00:05.000Z"]);
    expect(last_error).toContain("Could not connect to the endpoint");
  });

  it("H2 rejects a forbidden address when connecting, and fails at once", async () => {
    const guarded = await world.anotherInstance({ private_endpoints: "refuse" });
    const receiver = await jobEndpoint();
    const delivery = await queued(receiver.url);
    await senderOf(guarded.ctx).poll();
    await senderOf(guarded.ctx).idle();
    expect(receiver.dispatches).toEqual([]);
    expect(await readDelivery(delivery)).toMatchObject({ status: "failed", attempts: 1, last_status_code: null });
  });

  it.each([200, 201, 202, 204, 299])("%s is delivered", async (status) => {
    const receiver = (await jobEndpoint()).respondWith(status);
    const delivery = await queued(receiver.url);
    await send();
    expect(await readDelivery(delivery)).toMatchObject({ status: "delivered", delivered_at: START, last_error: null });
  });

  it("classifies a long response by its status, and reads no more of it than it stores", async () => {
    const long = "x\u0000".repeat(500_000);
    const receiver = (await jobEndpoint()).respondWith((_, response) => void response.writeHead(400).end(long));
    const delivery = await queued(receiver.url);
    await send();
    const { status, last_error } = await readDelivery(delivery);
    expect([status, last_error.length < 2_100, last_error.includes("x\ufffdx")]).toEqual(["failed", true, true]);
  });
});

describe("svc_webhook_retry_attempts_total", () => {
  it("O2 counts every attempt except a delivery's first", async () => {
    const receiver = (await jobEndpoint()).respondWith(500, 500, 400, 200);
    const before = await retriesCounted();
    const delivery = await queued(receiver.url);
    await send();
    expect(await retriesCounted()).toBe(before);
    for (const pauseSecs of [5, 25]) {
      await world.clock.pass(`${pauseSecs}s`);
      await send();
    }
    expect(await retriesCounted()).toBe(before + 2);
    await delivery.project.api.post(`/v1/webhook-deliveries/${delivery.id}/retry`);
    await send();
    expect(await retriesCounted()).toBe(before + 3);
    expect(receiver.dispatches).toHaveLength(4);
  });
});

describe("a delivery that cannot be signed", () => {
  it("counts no attempt, and is sent once the secret can be read again", async () => {
    const receiver: JobEndpoint = await jobEndpoint();
    const delivery = await queued(receiver.url);
    const swap =
      "update projects set webhook_secret = $2 where id = $1 returning (select webhook_secret from projects where id = $1)";
    const [row] = await runSql<{ webhook_secret: Buffer }>(world.connection, swap, [delivery.project.id, Buffer.of(1)]);
    await send();
    expect(receiver.dispatches).toEqual([]);
    expect(await readDelivery(delivery)).toMatchObject({ status: "pending", attempts: 0 });
    await runSql(world.connection, swap, [delivery.project.id, row?.webhook_secret]);
    await world.clock.pass("5s");
    await send();
    expect(await readDelivery(delivery)).toMatchObject({ status: "delivered", attempts: 1 });
  });
});
