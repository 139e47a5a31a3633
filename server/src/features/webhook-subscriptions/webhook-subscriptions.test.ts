import { BUDGET_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { seedSubscription } from "../../../test/seed/seed-subscription.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

const LIST = "/v1/webhook-subscriptions";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const URL = "https://example.com/hook";
const create = (fields: object = {}, api = project.api) => api.post(LIST, { url: URL, events: ["run.*"], ...fields });
const created = async (fields: object = {}): Promise<string> => {
  const response = await create(fields);
  if (response.status !== 201) throw new Error(response.text);
  return response.body.id;
};
const auditsOf = (id: string) =>
  runSql(
    world.connection,
    "select action, before, after from audit_events where resource_id = $1 order by created_at",
    [id],
  );
const environmentOf = async (slug: string): Promise<string> =>
  (await project.api.get(`/v1/environments/${slug}`)).body.id;

describe("POST /v1/webhook-subscriptions", () => {
  it("H4 accepts every budget event by its name", async () => {
    expect((await create({ events: [...BUDGET_EVENTS] })).status).toBe(201);
  });

  it("H4 creates one with every field", async () => {
    const staging = await environmentOf("staging");
    const { status, body } = await create({
      events: ["run.failed", "workflow_run.*", "event_trigger.*", "budget.*", "api_key.rotation_due"],
      description: "To the pager",
      filter: 'event.data.priority > 5 || event.type == "budget.exceeded"',
      headers: { Authorization: "Bearer abc" },
      environment_id: staging,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      $schema: expect.any(String),
      id: expect.any(String),
      project_id: project.id,
      environment_id: staging,
      url: URL,
      description: "To the pager",
      events: ["run.failed", "workflow_run.*", "event_trigger.*", "budget.*", "api_key.rotation_due"],
      filter: 'event.data.priority > 5 || event.type == "budget.exceeded"',
      headers: { Authorization: "[redacted]" },
      enabled: true,
      consecutive_failures: 0,
      last_delivered_at: null,
      filter_errors: 0,
      last_filter_error: null,
      last_filter_error_at: null,
      created_by: "test key",
      created_by_id: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
  });

  it("A12 is audited, and its header values appear nowhere", async () => {
    const id = await created({ headers: { "x-token": "very-secret" } });
    const [audit] = await auditsOf(id);
    expect(audit).toMatchObject({
      action: "webhook_subscription.created",
      after: { headers: { "x-token": "[redacted]" } },
    });
    const [row] = await runSql(world.connection, "select * from webhook_subscriptions where id = $1", [id]);
    expect(JSON.stringify([audit, row, (await project.api.get(`${LIST}/${id}`)).body])).not.toContain("very-secret");
    expect(Buffer.from(row?.headers as Buffer).includes("very-secret")).toBe(false);
  });

  it.each<[string, object, string]>([
    ["an invalid URL", { url: "nowhere" }, "body.url"],
    ["no events", { events: [] }, "body.events"],
    ["an unknown event", { events: ["run.exploded"] }, "body.events[0]"],
    ["the same event twice", { events: ["run.*", "run.*"] }, "body.events"],
    ["a header that the service sets", { headers: { "X-Svc-Signature": "1" } }, "body.headers.X-Svc-Signature"],
    ["a header of Standard Webhooks", { headers: { "webhook-id": "1" } }, "body.headers.webhook-id"],
    ["a header with a line break", { headers: { a: "b\nc: d" } }, "body.headers.a"],
    ["an unknown environment", { environment_id: newId() }, "body.environment_id"],
    ["an unknown field", { secret: "x" }, "body.secret"],
  ])("422 for %s, with its location", async (_what, fields, location) => {
    const { status, body } = await create(fields);
    expect([status, body.errors?.[0]?.location]).toEqual([422, location]);
  });

  it.each([
    ["event.data.status ==", /\(at character \d+\)$/],
    ["event.data.status == ))", /\(at character \d+\)$/],
    ["event.type", undefined],
    ["1 + 1", /true or false/],
    ["nothing == 1", /nothing/],
    [`event.type == "${"x".repeat(4_090)}"`, undefined],
  ])("422 for the filter %j, with the error and its position", async (filter, message) => {
    const { status, body } = await create({ filter });
    if (filter === "event.type") return expect(status).toBe(201);
    expect([status, body.errors?.[0]?.location]).toEqual([422, "body.filter"]);
    if (message) expect(body.errors[0].message).toMatch(message);
  });

  it("422 for a private address, where those are forbidden", async () => {
    const guarded = await world.anotherInstance({ private_endpoints: "refuse" });
    for (const { ctx } of [world, guarded]) await ctx.watch.ping();
    const headers = { "x-project-id": project.id };
    const ask = (url: string) => guarded.admin.post(LIST, { url, events: ["*"] }, { headers });
    for (const url of ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest", "http://localhost/"]) {
      const { status, body } = await ask(url);
      expect([status, body.errors?.[0]?.location]).toEqual([422, "body.url"]);
    }
    expect((await ask(URL)).status).toBe(201);
  });

  it("409 beyond a hundred of them, even with concurrent requests", async () => {
    const crowded = await world.project();
    for (let n = 0; n < 97; n++) await seedSubscription(world.connection, crowded.id);
    const responses = await Promise.all(Array.from({ length: 8 }, () => create({}, crowded.api)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
  });

  it("A2 a key bound to an environment subscribes there, and sees only that environment's subscriptions", async () => {
    const [staging, production] = [await environmentOf("staging"), await environmentOf("production")];
    const others = [await created(), await created({ environment_id: production })];
    const { api } = await project.newKey({ environment_id: staging });
    const own = await create({}, api);
    expect([own.status, own.body.environment_id]).toEqual([201, staging]);
    for (const environment_id of [null, production]) expect((await create({ environment_id }, api)).status).toBe(403);
    for (const id of others) {
      expect((await api.get(`${LIST}/${id}`)).status).toBe(404);
      expect((await api.patch(`${LIST}/${id}`, { enabled: false })).status).toBe(404);
      expect((await api.delete(`${LIST}/${id}`)).status).toBe(404);
      expect((await api.post(`${LIST}/${id}/test`)).status).toBe(404);
    }
    expect((await api.patch(`${LIST}/${own.body.id}`, { environment_id: null })).status).toBe(403);
    expect(
      (await api.get(`${LIST}?limit=100`)).body.data.every(
        (each: { environment_id: string }) => each.environment_id === staging,
      ),
    ).toBe(true);
  });
});

describe("GET /v1/webhook-subscriptions", () => {
  it("lists them newest first, filtered by enabled", async () => {
    const other = await world.project();
    const make = async (fields: object) => (await create(fields, other.api)).body.id as string;
    const [first, second, third] = [await make({}), await make({ enabled: false }), await make({})];
    const ids = async (query = "") =>
      (await other.api.get(`${LIST}${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([third, second, first]);
    expect(await ids("?enabled=true")).toEqual([third, first]);
    expect(await ids("?enabled=false")).toEqual([second]);
    expect(await ids("?limit=1")).toEqual([third]);
  });
});

describe("GET /v1/webhook-subscriptions/{webhookSubscriptionID}", () => {
  it("returns the number of consecutive failures and the time of the last success", async () => {
    const id = await seedSubscription(world.connection, project.id);
    const deliver = async (status: "pending" | "delivered" | "failed", second: number) => {
      const created_at = `2029-01-01T00:00:0${second}.000Z`;
      const delivery = await seedDelivery(world.connection, project.id, { status, created_at });
      await runSql(
        world.connection,
        "update webhook_deliveries set subscription_id = $2, delivered_at = case when status = 'delivered' then created_at end where id = $1",
        [delivery, id],
      );
      return delivery;
    };
    const shown = async () => (await project.api.get(`${LIST}/${id}`)).body;
    expect(await shown()).toMatchObject({ consecutive_failures: 0, last_delivered_at: null });
    await deliver("failed", 0);
    await deliver("delivered", 1);
    await deliver("failed", 2);
    await deliver("failed", 3);
    // Not attempted yet: does not count.
    const waiting = await deliver("pending", 4);
    expect(await shown()).toMatchObject({ consecutive_failures: 2, last_delivered_at: "2029-01-01T00:00:01.000Z" });
    await runSql(world.connection, "update webhook_deliveries set attempts = 1, last_error = 'no' where id = $1", [
      waiting,
    ]);
    expect((await shown()).consecutive_failures).toBe(3);
    await deliver("delivered", 5);
    expect((await shown()).consecutive_failures).toBe(0);
  });

  it("404 for an unknown one, for another project's, and for an invalid id", async () => {
    const foreign = await seedSubscription(world.connection, (await world.project()).id);
    for (const id of [newId(), foreign, "none"]) {
      expect((await project.api.get(`${LIST}/${id}`)).body.code).toBe("not_found");
    }
  });
});

describe("PATCH /v1/webhook-subscriptions/{webhookSubscriptionID}", () => {
  it("changes the given fields and leaves the rest", async () => {
    const id = await created({ description: "a", headers: { one: "first-value", two: "second-value" } });
    const { body } = await project.api.patch(`${LIST}/${id}`, {
      url: "https://example.com/other",
      events: ["*"],
      filter: "event.data.attempt > 1.0",
      description: null,
      enabled: false,
    });
    expect(body).toMatchObject({
      url: "https://example.com/other",
      events: ["*"],
      filter: "event.data.attempt > 1.0",
      description: null,
      enabled: false,
      headers: { one: "[redacted]", two: "[redacted]" },
    });
    expect((await auditsOf(id)).map(({ action }) => action)).toEqual([
      "webhook_subscription.created",
      "webhook_subscription.updated",
    ]);
  });

  it("accepts GET's response unchanged, and changes nothing", async () => {
    const id = await created({ headers: { one: "first-value" }, filter: 'event.type == "run.failed"' });
    const { $schema: _, ...shown } = (await project.api.get(`${LIST}/${id}`)).body;
    const { status, body } = await project.api.patch(`${LIST}/${id}`, shown);
    expect([status, body.updated_at]).toEqual([200, shown.updated_at]);
    expect(await auditsOf(id)).toHaveLength(1);
  });

  it("keeps a header whose redacted value is sent back, replaces the others, and rejects a redacted value for an unknown one", async () => {
    const receiver = await jobEndpoint();
    const id = await created({ url: receiver.url, headers: { "x-one": "first-value", "x-two": "second-value" } });
    const headers = { "x-one": "[redacted]", "x-three": "third-value" };
    expect((await project.api.patch(`${LIST}/${id}`, { headers })).body.headers).toEqual({
      "x-one": "[redacted]",
      "x-three": "[redacted]",
    });
    await project.api.post(`${LIST}/${id}/test`);
    expect(receiver.dispatches[0]?.headers).toMatchObject({ "x-one": "first-value", "x-three": "third-value" });
    expect(receiver.dispatches[0]?.headers["x-two"]).toBeUndefined();
    const refused = await project.api.patch(`${LIST}/${id}`, { headers: { "x-new": "[redacted]" } });
    expect([refused.status, refused.body.errors[0].location]).toEqual([422, "body.headers.x-new"]);
  });

  it("422 for an invalid filter, and the old one stays", async () => {
    const id = await created({ filter: "event.data.attempt > 1.0" });
    expect((await project.api.patch(`${LIST}/${id}`, { filter: "event.(" })).status).toBe(422);
    expect((await project.api.get(`${LIST}/${id}`)).body.filter).toBe("event.data.attempt > 1.0");
    expect((await project.api.patch(`${LIST}/${id}`, { filter: null })).body.filter).toBeNull();
  });

  it("A11 403 without webhooks:write; 404 for an unknown one", async () => {
    const id = await created();
    const { api } = await project.newKey({ scopes: ["webhooks:read"] });
    expect((await api.patch(`${LIST}/${id}`, { enabled: false })).body.code).toBe("scope_missing");
    expect((await project.api.patch(`${LIST}/${newId()}`, { enabled: false })).status).toBe(404);
  });
});

describe("DELETE /v1/webhook-subscriptions/{webhookSubscriptionID}", () => {
  it("deletes it, once, with an audit event", async () => {
    const id = await created({ headers: { "x-token": "very-secret" } });
    expect((await project.api.delete(`${LIST}/${id}`)).status).toBe(204);
    expect((await project.api.get(`${LIST}/${id}`)).status).toBe(404);
    expect((await project.api.delete(`${LIST}/${id}`)).status).toBe(404);
    const audits = await auditsOf(id);
    expect(audits.map(({ action }) => action)).toEqual([
      "webhook_subscription.created",
      "webhook_subscription.deleted",
    ]);
    expect(JSON.stringify(audits)).not.toContain("very-secret");
  });

  it("an environment with subscriptions cannot be deleted", async () => {
    const environment = (await project.api.post("/v1/environments", { name: "Canary" })).body;
    const id = await created({ environment_id: environment.id });
    const refused = await project.api.delete(`/v1/environments/${environment.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, "environment_in_use"]);
    expect(refused.body.errors[0].message).toContain("webhook subscription");
    await project.api.delete(`${LIST}/${id}`);
    expect((await project.api.delete(`/v1/environments/${environment.id}`)).status).toBe(204);
  });
});
