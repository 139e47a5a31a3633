import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../test/outside/job-endpoint.ts";
import { seedDeliveries, seedDelivery } from "../../../test/seed/seed-delivery.ts";
import { runSql } from "../../../test/world/database.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { senderOf } from "./sender.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});

const seed = (project: TestProject, delivery: Parameters<typeof seedDelivery>[2] = {}) =>
  seedDelivery(world.connection, project.id, delivery);

async function send(): Promise<void> {
  await world.tick("send-webhooks");
  await senderOf(world.ctx).idle();
}

const auditsOf = (id: string) =>
  runSql(world.connection, "select action, actor_id, before, after from audit_events where resource_id = $1", [id]);

describe("GET /v1/webhook-deliveries", () => {
  it("H4 returns every field, newest first", async () => {
    const project = await world.project();
    const older = await seed(project, { created_at: "2029-12-31T00:00:00.000Z" });
    const newer = await seed(project, { status: "failed" });
    const { status, body } = await project.api.get("/v1/webhook-deliveries");
    expect([status, body.has_more, body.next_cursor]).toEqual([200, false, null]);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([newer, older]);
    expect(body.data[0]).toEqual({
      id: newer,
      project_id: project.id,
      environment_id: null,
      subscription_id: null,
      event_id: newer,
      url: "http://127.0.0.1:1024/hook",
      event_type: "thing.happened",
      source_type: "thing",
      source_id: "7",
      status: "failed",
      attempts: 1,
      max_attempts: 5,
      next_attempt_at: null,
      last_status_code: null,
      last_error: "The receiver responded with 400.",
      delivered_at: null,
      failed_at: "2030-01-01T00:00:00.000Z",
      created_at: "2030-01-01T00:00:00.000Z",
      updated_at: "2030-01-01T00:00:00.000Z",
    });
  });

  it("H4 filters by status, in pages that neither skip nor repeat", async () => {
    const project = await world.project();
    const failed = await seedDeliveries(world.connection, project.id, 5, { status: "failed" });
    await seedDeliveries(world.connection, project.id, 5, { status: "delivered" });
    const shown: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await project.api.get(`/v1/webhook-deliveries?status=failed&limit=2${cursor}`);
      shown.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(shown.toSorted()).toEqual(failed.toSorted());
    expect((await project.api.get("/v1/webhook-deliveries?status=pending")).body.data).toEqual([]);
  });

  it("H4 accepts project_id: the internal secret must give it, a key's must match", async () => {
    const [project, other] = [await world.project(), await world.project()];
    const id = await seed(project, { status: "failed" });
    const ofProject = await world.admin.get(`/v1/webhook-deliveries?project_id=${project.id}&status=failed`);
    expect(ofProject.body.data).toMatchObject([{ id }]);
    expect((await world.admin.get("/v1/webhook-deliveries")).body.code).toBe("project_required");
    expect((await project.api.get(`/v1/webhook-deliveries?project_id=${other.id}`)).status).toBe(403);
    expect((await other.api.get("/v1/webhook-deliveries")).body.data).toEqual([]);
  });

  it.each(["status=lost", "status=", "state=failed", "limit=0"])("422 for ?%s", async (query) => {
    const project = await world.project();
    expect((await project.api.get(`/v1/webhook-deliveries?${query}`)).status).toBe(422);
  });

  it("A2 H4 an environment filters; a key bound to one sees and retries only its deliveries", async () => {
    const project = await world.project();
    const idOf = async (slug: string): Promise<string> => (await project.api.get(`/v1/environments/${slug}`)).body.id;
    const [staging, production] = [await idOf("staging"), await idOf("production")];
    const own = await seed(project, { status: "failed", environment_id: staging });
    const others = [await seed(project, { status: "failed", environment_id: production }), await seed(project)];
    const { api } = await project.newKey({ environment_id: staging });
    expect((await api.get("/v1/webhook-deliveries")).body.data).toMatchObject([{ id: own, environment_id: staging }]);
    for (const id of others) {
      expect((await api.get(`/v1/webhook-deliveries/${id}`)).status).toBe(404);
      expect((await api.post(`/v1/webhook-deliveries/${id}/retry`)).status).toBe(404);
    }
    expect((await api.post(`/v1/webhook-deliveries/${own}/retry`)).status).toBe(200);
    const [ofProduction, ofProject] = others;
    const listed = async (environment: string) =>
      (await project.api.get(`/v1/webhook-deliveries?order=asc&environment_id=${environment}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed("production")).toEqual([ofProduction, ofProject]);
    expect(await listed(staging)).toEqual([own, ofProject]);
    expect((await project.api.get("/v1/webhook-deliveries?environment_id=nowhere")).status).toBe(422);
  });
});

describe("GET /v1/webhook-deliveries/{deliveryID}", () => {
  it("H4 returns the body, and each attempt with its response", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith({ status: 503, body: { busy: true } }, 200);
    const id = await seed(project, { url: receiver.url });
    await send();
    await world.clock.pass("5s");
    await send();
    const { status, body } = await project.api.get(`/v1/webhook-deliveries/${id}`);
    expect([status, body.status, body.attempts]).toEqual([200, "delivered", 2]);
    expect(body.body).toBe(receiver.dispatches[0]?.raw);
    // The local clock advances by itself between two reads of the database's clock.
    const [first, second] = [/^189345600[0-4]$/, /^189345600[5-9]$/].map((secs) => expect.stringMatching(secs));
    expect(body.attempt_history).toEqual([
      {
        attempt: 1,
        status_code: 503,
        error: 'The receiver responded with 503: {"busy":true}',
        duration_ms: expect.any(Number),
        outcome: "retryable",
        request_headers: expect.objectContaining({ "webhook-id": id, "X-Svc-Timestamp": first }),
        response_headers: expect.objectContaining({ "content-type": "application/json" }),
        response_body: '{"busy":true}',
        started_at: "2030-01-01T00:00:00.000Z",
        finished_at: "2030-01-01T00:00:00.000Z",
      },
      {
        attempt: 2,
        status_code: 200,
        error: null,
        duration_ms: expect.any(Number),
        outcome: "delivered",
        request_headers: expect.objectContaining({ "webhook-id": id, "X-Svc-Timestamp": second }),
        response_headers: expect.objectContaining({ "content-type": "application/json" }),
        response_body: "",
        started_at: "2030-01-01T00:00:05.000Z",
        finished_at: "2030-01-01T00:00:05.000Z",
      },
    ]);
  });

  it("has no next attempt while one is in flight, and shows that it is", async () => {
    const project = await world.project();
    let reply = () => {};
    const receiver = (await jobEndpoint()).respondWith((_, response) => {
      reply = () => void response.writeHead(200).end();
    });
    const id = await seed(project, { url: receiver.url });
    await world.tick("send-webhooks");
    await until("the receiver to have it", 20_000, () => receiver.dispatches.length === 1);
    const { body } = await project.api.get(`/v1/webhook-deliveries/${id}`);
    expect(body).toMatchObject({ status: "pending", attempts: 1, next_attempt_at: null });
    expect(body.attempt_history).toMatchObject([{ attempt: 1, finished_at: null, status_code: null }]);
    reply();
    await senderOf(world.ctx).idle();
  });

  it("404 for an unknown one, for another project's, and for an invalid id", async () => {
    const [project, other] = [await world.project(), await world.project()];
    for (const id of [newId(), await seed(other), "none"]) {
      expect((await project.api.get(`/v1/webhook-deliveries/${id}`)).body.code).toBe("not_found");
    }
  });
});

describe("POST /v1/webhook-deliveries/{deliveryID}/retry", () => {
  const retry = ({ api }: TestProject, id: string) => api.post(`/v1/webhook-deliveries/${id}/retry`);

  it("H4 resets a failed delivery: pending, attempts zero, due at once, and sends it again", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(400, 200);
    const id = await seed(project, { url: receiver.url });
    await send();
    await world.clock.pass("1h");
    const now = await world.clock.now();
    const { status, body } = await retry(project, id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: "pending", attempts: 0, next_attempt_at: now, failed_at: null });
    await send();
    expect(receiver.dispatches).toHaveLength(2);
    const { body: after } = await project.api.get(`/v1/webhook-deliveries/${id}`);
    expect(after).toMatchObject({ status: "delivered", attempts: 1, last_error: null, delivered_at: now });
    expect(after.attempt_history.map((each: { attempt: number }) => each.attempt)).toEqual([1, 1]);
  });

  it.each(["pending", "delivered"] as const)("H4 409 for a %s delivery, which stays unchanged", async (status) => {
    const project = await world.project();
    const id = await seed(project, { status });
    const before = (await project.api.get(`/v1/webhook-deliveries/${id}`)).body;
    const refused = await retry(project, id);
    expect([refused.status, refused.body.code]).toEqual([409, "delivery_not_failed"]);
    expect(refused.body.detail).toContain(status);
    expect((await project.api.get(`/v1/webhook-deliveries/${id}`)).body).toEqual(before);
    expect(await auditsOf(id)).toEqual([]);
  });

  it("H4 of ten concurrent calls one succeeds and nine get 409", async () => {
    const project = await world.project();
    const id = await seed(project, { status: "failed" });
    const responses = await Promise.all(Array.from({ length: 10 }, () => retry(project, id)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(await auditsOf(id)).toHaveLength(1);
  });

  it("A12 is audited with actor and resource", async () => {
    const project = await world.project();
    const id = await seed(project, { status: "failed", attempts: 5 });
    await retry(project, id);
    expect(await auditsOf(id)).toEqual([
      {
        action: "webhook_delivery.retried",
        actor_id: project.key_id,
        before: { status: "failed", attempts: 5 },
        after: { status: "pending", attempts: 0 },
      },
    ]);
  });

  it("A11 403 without webhooks:write; 404 for an unknown one", async () => {
    const project = await world.project();
    const id = await seed(project, { status: "failed" });
    const { api } = await project.newKey({ scopes: ["webhooks:read"] });
    expect((await retry({ ...project, api }, id)).body.code).toBe("scope_missing");
    expect((await retry(project, newId())).status).toBe(404);
  });
});

describe("old deliveries", () => {
  it("are deleted with their attempts after the retention period, unless they are pending", async () => {
    const project = await world.project();
    const receiver = (await jobEndpoint()).respondWith(200);
    await seed(project, { url: receiver.url });
    await send();
    await seed(project, { status: "failed" });
    const pending = await seed(project);
    await world.clock.pass("719h");
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect((await project.api.get("/v1/webhook-deliveries")).body.data).toHaveLength(3);
    const young = await seed(project, { status: "delivered" });
    await world.clock.pass("2h");
    await world.tick("remove-old-rows");
    const { data } = (await project.api.get("/v1/webhook-deliveries")).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([young, pending]);
    const attempts = "select 1 from webhook_attempts where project_id = $1";
    expect(await runSql(world.connection, attempts, [project.id])).toEqual([]);
  });
});
