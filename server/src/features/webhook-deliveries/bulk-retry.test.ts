import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { senderOf } from "./sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

type Result = { index: number; delivery_id: string; status: string; error: { code: string } | null };

const retry = ({ api }: TestProject, body: object) => api.post("/v1/webhook-deliveries/bulk-retry", body);
const statusesOf = async ({ id }: TestProject) => {
  const rows = await runSql<{ status: string; count: number }>(
    world.connection,
    "select status, count(*)::int from webhook_deliveries where project_id = $1 group by status",
    [id],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};
const batchOf = async ({ api }: TestProject, id: string) => (await api.get(`/v1/batch-operations/${id}`)).body;

async function work(): Promise<void> {
  while (await world.tick("retry-deliveries"));
}

describe("POST /v1/webhook-deliveries/bulk-retry", () => {
  it("H4 resets the failed ones, and returns a finished batch with an item for each in order", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const receiver = await jobEndpoint();
    const failed = await seedDeliveries(world.connection, project.id, 3, { status: "failed", url: receiver.url });
    const delivered = await seedDelivery(world.connection, project.id, { status: "delivered" });
    const foreign = await seedDelivery(world.connection, other.id, { status: "failed" });
    const delivery_ids = [failed[0], delivered, failed[1], newId(), foreign, failed[2]];
    const { status, body } = await retry(project, { delivery_ids });
    expect(status).toBe(200);
    expect(body.results.map((each: Result) => [each.delivery_id, each.status, each.error?.code ?? null])).toEqual([
      [failed[0], "retried", null],
      [delivered, "failed", "delivery_not_failed"],
      [failed[1], "retried", null],
      [delivery_ids[3], "failed", "not_found"],
      [foreign, "failed", "not_found"],
      [failed[2], "retried", null],
    ]);
    const counts = { status: "completed", total: 6, processed: 6, succeeded: 3, failed: 3 };
    expect(await batchOf(project, body.batch_id)).toMatchObject({ kind: "webhook_retry", ...counts });
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    expect(receiver.dispatches.map(({ headers }) => headers["webhook-id"]).toSorted()).toEqual(failed.toSorted());
    expect(await statusesOf(other)).toEqual({ failed: 1 });
  });

  it("A12 writes one audit event for the whole call", async () => {
    const project = await world.project();
    const delivery_ids = await seedDeliveries(world.connection, project.id, 2, { status: "failed" });
    const { body } = await retry(project, { delivery_ids });
    const ordered = await retry(project, { filter: {} });
    const audits =
      "select resource_id, after from audit_events where project_id = $1 and action = 'webhook_delivery.bulk_retried' order by created_at";
    expect(await runSql(world.connection, audits, [project.id])).toEqual([
      { resource_id: body.batch_id, after: { delivery_ids, total: 2 } },
      { resource_id: ordered.body.id, after: { filter: {}, total: 0 } },
    ]);
  });

  it("H4 ten concurrent calls with the same hundred ids reset each delivery once", async () => {
    const project = await world.project();
    const ids = await seedDeliveries(world.connection, project.id, 100, { status: "failed" });
    const orders = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? ids : ids.toReversed()));
    const responses = await Promise.all(orders.map((delivery_ids) => retry(project, { delivery_ids })));
    const retried = responses.flatMap(({ body }) =>
      (body.results as Result[]).filter((each) => each.status === "retried"),
    );
    expect([retried.length, new Set(retried.map((each) => each.delivery_id)).size]).toEqual([100, 100]);
  });

  it("H4 by filter runs in the background and retries each failed match once", async () => {
    const project = await world.project();
    const near = { url: "http://127.0.0.1:2001/near", status: "failed" } as const;
    const ids = await seedDeliveries(world.connection, project.id, 450, near);
    await seedDeliveries(world.connection, project.id, 5, { url: "http://127.0.0.1:2002/far", status: "failed" });
    await seedDeliveries(world.connection, project.id, 5, { ...near, status: "delivered" });
    const { status, body } = await retry(project, { filter: { host: "127.0.0.1:2001" } });
    expect([status, body.kind, body.status, body.total]).toEqual([202, "webhook_retry", "pending", 450]);
    // It failed after the batch was created, so it needs another call.
    await world.clock.pass("1s");
    await seedDelivery(world.connection, project.id, near);
    await work();
    expect(await batchOf(project, body.id)).toMatchObject({ status: "completed", total: 450, succeeded: 450 });
    expect(await statusesOf(project)).toEqual({ pending: 450, failed: 6, delivered: 5 });
    const items = "select count(distinct target_id)::int as count from batch_items where batch_id = $1";
    expect(await runSql(world.connection, items, [body.id])).toEqual([{ count: ids.length }]);
  });

  it.each<[string, object, number]>([
    ["all", {}, 4],
    ["a URL", { url: "http://127.0.0.1:2001/a" }, 1],
    ["a host", { host: "127.0.0.1:2001" }, 2],
    ["a type", { event_type: "run.failed" }, 1],
    ["a subscription", { subscription_id: "0190c000-0000-7000-8000-000000000001" }, 1],
    ["an environment and the project", { environment_id: "staging" }, 3],
    ["a beginning", { from: "2021-06-01T00:00:00Z" }, 3],
    ["an end", { to: "2021-06-01T00:00:00Z" }, 1],
  ])("H4 filters by %s, like the list", async (_what, filter, count) => {
    const project = await world.project();
    const seed = (fields: object) => seedDelivery(world.connection, project.id, { status: "failed", ...fields });
    await seed({ url: "http://127.0.0.1:2001/a" });
    const environment_id = (await project.api.get("/v1/environments/production")).body.id;
    await seed({ url: "http://127.0.0.1:2001/b", event_type: "run.failed", environment_id });
    await seed({ created_at: "2021-01-01T00:00:00Z" });
    const id = await seed({});
    const subscribe = "update webhook_deliveries set subscription_id = $2 where id = $1";
    await runSql(world.connection, subscribe, [id, "0190c000-0000-7000-8000-000000000001"]);
    const { url, ...listed } = filter as Record<string, string>;
    if (url === undefined) {
      const query = new URLSearchParams({ ...listed, status: "failed" });
      expect((await project.api.get(`/v1/webhook-deliveries?${query}`)).body.data).toHaveLength(count);
    }
    await retry(project, { filter });
    await work();
    expect((await statusesOf(project)).pending).toBe(count);
  });

  it("A2 by filter with a key bound to an environment skips deliveries of other environments", async () => {
    const project = await world.project();
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    await seedDelivery(world.connection, project.id, { status: "failed", environment_id: staging });
    await seedDelivery(world.connection, project.id, { status: "failed" });
    const { api } = await project.newKey({ environment_id: staging });
    expect((await retry({ ...project, api }, { filter: {} })).body.total).toBe(1);
    await work();
    expect(await statusesOf(project)).toEqual({ pending: 1, failed: 1 });
  });

  it.each<[string, object]>([
    ["neither ids nor a filter", {}],
    ["both", { delivery_ids: [newId()], filter: {} }],
    ["none", { delivery_ids: [] }],
    ["more than a hundred", { delivery_ids: Array.from({ length: 101 }, newId) }],
    ["an invalid id", { delivery_ids: ["x"] }],
    ["a filter with an unknown field", { filter: { state: "failed" } }],
  ])("422 for %s", async (_what, body) => {
    expect((await retry(await world.project(), body)).status).toBe(422);
  });
});
