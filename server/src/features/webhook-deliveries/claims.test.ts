import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newAbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { type ClaimedDelivery, claimDeliveries } from "./claim-deliveries.ts";
import { findDueReceivers, type Receiver } from "./find-due-receivers.ts";
import type { DeliveryOutcome } from "./read-outcome.ts";
import { sendDelivery } from "./send-delivery.ts";
import { senderOf } from "./sender.ts";
import { settleDelivery } from "./settle-delivery.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => runSql(world.connection, "delete from webhook_deliveries"));

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

const readDelivery = async ({ api }: TestProject, id: string) => (await api.get(`/v1/webhook-deliveries/${id}`)).body;

/** An instance that is killed between the claim and its result; with `sent`, after the receiver got the request. */
async function claimAndDie({ sent }: { sent: boolean }): Promise<ClaimedDelivery> {
  const { due } = await findDueReceivers(world.ctx, undefined, 10);
  const [delivery] = (await claimDeliveries(world.ctx, due.map(asProven), { proven: 10, unproven: 0 })).claimed;
  if (!delivery) throw new Error("nothing was claimed");
  if (sent) await sendDelivery(world.ctx, delivery, { timeout_ms: 5_000, abortHandle: newAbortHandle() });
  return delivery;
}

const asProven = (receiver: Receiver) => ({ ...receiver, is_proven: true });

const DELIVERED: DeliveryOutcome = { kind: "delivered", status_code: 200, duration_ms: 1 };
const REFUSED: DeliveryOutcome = { kind: "refused", status_code: 400, error: "no", duration_ms: 1 };

describe("a claim", () => {
  it("H1 counts an attempt and keeps other instances away for 30 s; then the delivery is sent again with the same id", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await world.clock.pass("1s");
    await claimAndDie({ sent: true });
    expect(await readDelivery(project, id)).toMatchObject({ status: "pending", attempts: 1 });
    await world.clock.pass("29s");
    await send();
    expect(receiver.dispatches).toHaveLength(1);
    await world.clock.pass("1s");
    await send();
    expect(receiver.dispatches.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
    const { status, attempts, attempt_history } = await readDelivery(project, id);
    expect([status, attempts]).toEqual(["delivered", 2]);
    expect(attempt_history).toMatchObject([
      {
        attempt: 1,
        status_code: null,
        error: expect.stringContaining("stopped before it recorded"),
        finished_at: expect.any(String),
      },
      { attempt: 2, status_code: 200, error: null },
    ]);
  });

  it("H1 of an instance that crashed before sending loses nothing", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    await claimAndDie({ sent: false });
    await world.clock.pass("30s");
    await send();
    expect(receiver.dispatches).toHaveLength(1);
    expect(await readDelivery(project, id)).toMatchObject({ status: "delivered", attempts: 2 });
  });

  it("H1 that is lost on the fifth attempt is the last: the delivery fails and is not sent a sixth time", async () => {
    const project = await world.project();
    const receiver = await jobEndpoint();
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url, attempts: 4 });
    await claimAndDie({ sent: true });
    await world.clock.pass("30s");
    await send();
    expect(receiver.dispatches).toHaveLength(1);
    const { status, attempts, last_error, attempt_history } = await readDelivery(project, id);
    expect([status, attempts, last_error]).toEqual([
      "failed",
      5,
      expect.stringContaining("stopped before it recorded"),
    ]);
    expect(attempt_history).toMatchObject([{ attempt: 5, error: last_error }]);
  });

  it("H1 that expired can no longer change the delivery, only its own attempt", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(500);
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    const lost = await claimAndDie({ sent: true });
    await world.clock.pass("30s");
    await send();
    const before = await readDelivery(project, id);
    for (const outcome of [REFUSED, DELIVERED]) expect(await settleDelivery(world.ctx, lost, outcome)).toBe(false);
    const { attempt_history, ...after } = await readDelivery(project, id);
    expect(after).toEqual({ ...before, attempt_history: undefined, ...after });
    expect([after.status, after.attempts, after.last_status_code]).toEqual(["pending", 2, 500]);
    expect(attempt_history[0]).toMatchObject({ attempt: 1, status_code: 200, error: null });
  });

  it("H1 from before a manual retry does not settle the attempt with the same number after it", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(400);
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    const lost = await claimAndDie({ sent: false });
    await world.clock.pass("30s");
    await send();
    expect((await project.api.post(`/v1/webhook-deliveries/${id}/retry`)).status).toBe(200);
    const current = await claimAndDie({ sent: false });
    expect([lost.attempt, current.attempt]).toEqual([1, 1]);
    expect(await settleDelivery(world.ctx, lost, REFUSED)).toBe(false);
    expect(await settleDelivery(world.ctx, current, DELIVERED)).toBe(true);
    expect(await readDelivery(project, id)).toMatchObject({ status: "delivered" });
  });

  it("that took too long still counts if no other instance has claimed the delivery since", async () => {
    const project = await world.project();
    const id = await seedDelivery(world.connection, project.id);
    const late = await claimAndDie({ sent: false });
    await world.clock.pass("1m");
    expect(await settleDelivery(world.ctx, late, DELIVERED)).toBe(true);
    expect(await readDelivery(project, id)).toMatchObject({ status: "delivered", attempts: 1 });
  });

  it("H2 of a receiver that responds too slowly is a failure that is retried", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(() => {});
    const id = await seedDelivery(world.connection, project.id, { url: receiver.url });
    const delivery = await claimAndDie({ sent: false });
    // Enough time for the receiver to get it, even if this process is busy.
    const { outcome } = await sendDelivery(world.ctx, delivery, { timeout_ms: 1_000, abortHandle: newAbortHandle() });
    await settleDelivery(world.ctx, delivery, outcome);
    expect(receiver.dispatches).toHaveLength(1);
    const { status, last_status_code, last_error, next_attempt_at } = await readDelivery(project, id);
    expect([status, last_status_code, last_error]).toEqual(["pending", null, "No complete response within 1000 ms."]);
    expect(Date.parse(next_attempt_at) - Date.parse(await world.clock.now())).toBe(5_000);
  });

  it("out of twenty concurrent ones succeeds once", async () => {
    const project = await world.project();
    await seedDelivery(world.connection, project.id);
    const { due } = await findDueReceivers(world.ctx, undefined, 10);
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimDeliveries(world.ctx, due.map(asProven), { proven: 10, unproven: 0 })),
    );
    expect(claims.flatMap(({ claimed }) => claimed)).toHaveLength(1);
  });
});
