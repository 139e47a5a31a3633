import { beforeAll, describe, expect, it } from "vitest";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type World } from "../../../test/world/world.ts";
import { inTransaction } from "../database/transaction.ts";
import { derivedId } from "../derived-id.ts";
import { isId } from "../ids.ts";
import { notifySubscribers, type SubscriberEvent } from "./notify-subscribers.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const event = (project_id: string, fields: Partial<SubscriberEvent> = {}): SubscriberEvent => ({
  ...{ project_id, environment_id: null, type: "budget.exceeded", source_type: "budget", source_id: "b1" },
  data: { cap_microusd: 5 },
  ...fields,
});
const publish = (...events: SubscriberEvent[]) => inTransaction(world.ctx, (tx) => notifySubscribers(tx, events));
const deliveries = (project_id: string) =>
  runSql<{ body: string; subscription_id: string; event_type: string }>(
    world.connection,
    "select * from webhook_deliveries where project_id = $1 order by event_type",
    [project_id],
  );

describe("notifying subscribers", () => {
  it("queues one delivery for each subscriber, in the transaction of the event", async () => {
    const { id } = await world.project();
    const budget = await seedSubscription(world.connection, id, { events: ["budget.*"] });
    const keys = await seedSubscription(world.connection, id, { events: ["api_key.rotation_due"] });
    expect(await publish(event(id), event(id, { type: "api_key.rotation_due", source_type: "api_key" }))).toBe(2);
    const rows = await deliveries(id);
    expect(rows.map((row) => [row.event_type, row.subscription_id])).toEqual([
      ["api_key.rotation_due", keys],
      ["budget.exceeded", budget],
    ]);
    expect(JSON.parse(rows[1]?.body ?? "")).toEqual({
      type: "budget.exceeded",
      id: expect.any(String),
      created_at: expect.any(String),
      data: { cap_microusd: 5 },
    });
  });

  it("sends nothing about a change that was rolled back", async () => {
    const { id } = await world.project();
    await seedSubscription(world.connection, id);
    const undone = inTransaction(world.ctx, async (tx) => {
      await notifySubscribers(tx, [event(id)]);
      throw new Error("undo");
    });
    await expect(undone).rejects.toThrow("undo");
    expect(await deliveries(id)).toEqual([]);
  });

  it("delivers the same event once to each subscriber, under the same event id, however often it is published", async () => {
    const { id } = await world.project();
    for (let n = 0; n < 3; n++) await seedSubscription(world.connection, id);
    const same = event(id, { id: derivedId("budget", id, "2030-01") });
    await Promise.all([publish(same), publish(same), publish(same, same)]);
    const rows = await deliveries(id);
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map(({ body }) => body)).size).toBe(1);
  });

  it("delivers events without an environment only to subscribers to all environments", async () => {
    const project = await world.project();
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    await seedSubscription(world.connection, project.id, { environment_id: staging });
    const all = await seedSubscription(world.connection, project.id);
    await publish(event(project.id));
    expect((await deliveries(project.id)).map((row) => row.subscription_id)).toEqual([all]);
    await publish(event(project.id, { environment_id: staging, type: "budget.warning" }));
    expect((await deliveries(project.id)).filter((row) => row.event_type === "budget.warning")).toHaveLength(2);
  });

  it("does nothing for a project without subscriptions, or without events", async () => {
    const { id } = await world.project();
    expect([await publish(event(id)), await publish()]).toEqual([0, 0]);
  });

  it("writes large events in parts", async () => {
    const { id } = await world.project();
    await seedSubscription(world.connection, id);
    const large = Array.from({ length: 5 }, () => event(id, { data: "x".repeat(3_000_000) }));
    expect(await publish(...large)).toBe(5);
    expect(await deliveries(id)).toHaveLength(5);
  });
});

describe("a derived id", () => {
  it("is the same for the same parts, different for others, and a valid id", () => {
    expect(derivedId("a", "b")).toBe(derivedId("a", "b"));
    expect(new Set([derivedId("a", "b"), derivedId("ab"), derivedId("a", "b", ""), derivedId("b", "a")]).size).toBe(4);
    expect(isId(derivedId("x"))).toBe(true);
    expect(derivedId("x")[14]).toBe("8");
  });
});
