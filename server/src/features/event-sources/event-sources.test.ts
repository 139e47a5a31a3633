import { beforeAll, describe, expect, it } from "vitest";
import { makeJob, makeWorkflow } from "../../../test/seed/make-workflow.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const create = (fields: object = {}, { api } = project) =>
  api.post("/v1/event-sources", { name: `Shop ${newId()}`, ...fields });
const actions = async (id: string) =>
  (
    await runSql<{ action: string }>(
      world.connection,
      "select action from audit_events where resource_id = $1 order by id",
      [id],
    )
  ).map(({ action }) => action);

describe("POST /v1/event-sources", () => {
  it("T17 creates a source with defaults; without a signature it accepts no webhooks", async () => {
    const { status, body } = await create({ name: "The Shop" });
    expect([status, body]).toMatchObject([
      201,
      {
        name: "The Shop",
        slug: "the-shop",
        description: null,
        signature: "none",
        secret: null,
        payload_schema: null,
        dedup_window_secs: 86_400,
        enabled: true,
        inbound_url: null,
      },
    ]);
    expect(await actions(body.id)).toEqual(["event_source.created"]);
  });

  it("T17 shows the secret once, stores it encrypted, and keeps it out of the audit log", async () => {
    const { body } = await create({ signature: "hmac" });
    expect(body.secret).toMatch(/^whsec_/);
    expect(body.inbound_url).toBe(`${world.url}/v1/event-sources/${body.id}/inbound`);
    expect((await project.api.get(`/v1/event-sources/${body.id}`)).text).not.toContain("whsec_");
    const [row] = await runSql<{ secret: Buffer }>(world.connection, "select secret from event_sources where id = $1", [
      body.id,
    ]);
    expect(row?.secret.toString("latin1")).not.toContain(body.secret.slice(6));
    const [audit] = await runSql<{ after: object }>(
      world.connection,
      "select after from audit_events where resource_id = $1",
      [body.id],
    );
    expect(JSON.stringify(audit)).not.toContain("whsec_");
    const given = await create({ signature: "stripe", secret: "whsec_of_stripe_0123456789" });
    expect(given.body.secret).toBe("whsec_of_stripe_0123456789");
  });

  it.each([
    [{ signature: "stripe" }, "body.secret"],
    [{ secret: "0123456789abcdef" }, "body.secret"],
    [{ signature: "hmac", secret: "short" }, "body.secret"],
    [{ signature: "md5" }, "body.signature"],
    [{ payload_schema: { type: "nonsense" } }, "body.payload_schema"],
    [{ dedup_window_secs: -1 }, "body.dedup_window_secs"],
    [{ name: " " }, "body.name"],
    [{ nonsense: 1 }, "body.nonsense"],
  ])("T17 422 for %j", async (fields, location) => {
    const { status, body } = await create(fields);
    expect([status, body.errors[0].location]).toEqual([422, location]);
  });

  it("T17 409 for a taken slug", async () => {
    const { body } = await create();
    expect((await create({ slug: body.slug })).body.code).toBe("slug_taken");
  });
});

describe("GET /v1/event-sources", () => {
  it("T17 lists only the sources of the project", async () => {
    const [own, other] = [await world.project(), await world.project()];
    const { body } = await create({}, own);
    await create({}, other);
    const { data } = (await own.api.get("/v1/event-sources")).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual([body.id]);
  });
});

describe("GET /v1/event-sources/{sourceID}", () => {
  it("T17 finds one by id or slug, and 404 for one of another project", async () => {
    const { body } = await create();
    for (const ref of [body.id, body.slug]) {
      expect((await project.api.get(`/v1/event-sources/${ref}`)).body.id).toBe(body.id);
    }
    const otherProject = await world.project();
    expect((await otherProject.api.get(`/v1/event-sources/${body.id}`)).status).toBe(404);
  });
});

describe("PATCH /v1/event-sources/{sourceID}", () => {
  it("T17 changes the given fields, and nothing without any", async () => {
    const { body } = await create();
    const path = `/v1/event-sources/${body.id}`;
    const changes = {
      name: "New",
      description: "d",
      enabled: false,
      dedup_window_secs: 5,
      payload_schema: { type: "object" },
    };
    expect((await project.api.patch(path, changes)).body).toMatchObject(changes);
    expect((await project.api.patch(path, (await project.api.get(path)).body)).status).toBe(200);
    expect(await actions(body.id)).toEqual(["event_source.created", "event_source.updated"]);
    expect((await project.api.patch(path, { payload_schema: { type: 1 } })).status).toBe(422);
    expect((await project.api.patch(path, { signature: "hmac" })).body.code).toBe("read_only_field");
    const other = await create();
    expect((await project.api.patch(path, { slug: other.body.slug })).body.code).toBe("slug_taken");
  });
});

describe("DELETE /v1/event-sources/{sourceID}", () => {
  it("T17 deletes it with its subscriptions", async () => {
    const { body } = await create();
    const job = await makeJob(project);
    await project.api.post(`/v1/event-sources/${body.id}/subscriptions`, { job_id: job.id });
    expect((await project.api.delete(`/v1/event-sources/${body.id}`)).status).toBe(204);
    expect((await project.api.get(`/v1/event-sources/${body.id}`)).status).toBe(404);
    expect(await runSql(world.connection, "select 1 from event_subscriptions where source_id = $1", [body.id])).toEqual(
      [],
    );
    expect(await actions(body.id)).toContain("event_source.deleted");
  });
});

describe("POST /v1/event-sources/{sourceID}/secret/rotate", () => {
  it("T17 issues a new secret, and returns how long the old one is valid", async () => {
    const { body } = await create({ signature: "github" });
    const path = `/v1/event-sources/${body.id}/secret/rotate`;
    const plain = await project.api.post(path, {});
    expect(plain.body.secret).not.toBe(body.secret);
    expect(plain.body.previous_secret_expires_at).toBeNull();
    const graced = await project.api.post(path, { grace_period_minutes: 5, secret: "my own secret of github" });
    expect(graced.body).toMatchObject({
      secret: "my own secret of github",
      previous_secret_expires_at: expect.any(String),
    });
    expect((await project.api.get(`/v1/event-sources/${body.id}`)).body.previous_secret_expires_at).not.toBeNull();
    expect(await actions(body.id)).toEqual([
      "event_source.created",
      "event_source.secret_rotated",
      "event_source.secret_rotated",
    ]);
    const unsigned = await create();
    expect((await project.api.post(`/v1/event-sources/${unsigned.body.id}/secret/rotate`, {})).status).toBe(422);
  });
});

describe("POST /v1/event-sources/{sourceID}/subscriptions", () => {
  it("T17 subscribes a job or a workflow by id or slug", async () => {
    const { body: source } = await create();
    const [job, workflow] = [await makeJob(project), await makeWorkflow(project)];
    const path = `/v1/event-sources/${source.slug}/subscriptions`;
    const first = await project.api.post(path, {
      job_id: job.slug,
      filter: "payload.a == 1.0",
      payload: { b: "{{payload.a}}" },
    });
    expect([first.status, first.body]).toMatchObject([
      201,
      {
        source_id: source.id,
        job_id: job.id,
        workflow_id: null,
        filter: "payload.a == 1.0",
        payload: { b: "{{payload.a}}" },
        enabled: true,
      },
    ]);
    const second = await project.api.post(path, { workflow_id: workflow.id });
    expect(second.body).toMatchObject({ job_id: null, workflow_id: workflow.id, filter: null, payload: null });
    expect(await actions(second.body.id)).toEqual(["event_subscription.created"]);
  });

  it.each([
    [{}, "body.job_id"],
    [{ job_id: "nobody" }, "body.job_id"],
    [{ workflow_id: "nobody" }, "body.workflow_id"],
    [{ job_id: "JOB", workflow_id: "x" }, "body.workflow_id"],
    [{ job_id: "JOB", filter: "payload.a ==" }, "body.filter"],
    [{ job_id: "JOB", filter: "unknown == 1" }, "body.filter"],
    [{ job_id: "JOB", filter: "1 + 1" }, "body.filter"],
    [{ job_id: "JOB", payload: { a: "{{item.x}}" } }, "body.payload.a"],
    [{ job_id: "JOB", payload: "{{payload.a" }, "body.payload"],
    [{ job_id: "JOB", concurrency_key: "{{run.id}}" }, "body.concurrency_key"],
    [{ job_id: "JOB", environment_id: "01890000-0000-7000-8000-000000000000" }, "body.environment_id"],
  ])("T17 422 for %j", async (fields: object, location) => {
    const { body: source } = await create();
    const job = await makeJob(project);
    const requested = "job_id" in fields && fields.job_id === "JOB" ? { ...fields, job_id: job.id } : fields;
    const { status, body } = await project.api.post(`/v1/event-sources/${source.id}/subscriptions`, requested);
    expect([status, body.errors[0].location]).toEqual([422, location]);
  });

  it("A2 rejects a target that the caller may not trigger", async () => {
    const { body: source } = await create();
    const [job, workflow] = [await makeJob(project), await makeWorkflow(project)];
    const { api } = await project.newKey({ scopes: ["events:write", "jobs:trigger"] });
    const path = `/v1/event-sources/${source.id}/subscriptions`;
    expect((await api.post(path, { job_id: job.id })).status).toBe(201);
    expect((await api.post(path, { workflow_id: workflow.id })).body.code).toBe("scope_missing");
  });

  it("T17 accepts at most a thousand per source, also under concurrent requests", async () => {
    const { body: source } = await create();
    const job = await makeJob(project);
    await runSql(
      world.connection,
      `insert into event_subscriptions (project_id, id, source_id, job_id, enabled, created_by, created_at, updated_at)
       select $1, gen_random_uuid(), $2, $3, true, 'seed', clock(), clock() from generate_series(1, 998)`,
      [project.id, source.id, job.id],
    );
    const path = `/v1/event-sources/${source.id}/subscriptions`;
    const responses = await Promise.all(Array.from({ length: 6 }, () => project.api.post(path, { job_id: job.id })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409, 409]);
  });
});

describe("GET /v1/event-sources/{sourceID}/subscriptions", () => {
  it("T17 lists them; a bound key sees those of its environment", async () => {
    const { body: source } = await create();
    const job = await makeJob(project);
    const path = `/v1/event-sources/${source.id}/subscriptions`;
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const bound = await project.newKey({ environment_id });
    const own = (await bound.api.post(path, { job_id: job.id })).body;
    await project.api.post(path, { job_id: job.id });
    expect(own.environment_id).toBe(environment_id);
    expect((await project.api.get(path)).body.data).toHaveLength(2);
    expect((await bound.api.get(path)).body.data).toMatchObject([{ id: own.id }]);
  });
});

async function subscribed(fields: object = {}) {
  const { body: source } = await create();
  const job = await makeJob(project);
  const path = `/v1/event-sources/${source.id}/subscriptions`;
  const { body } = await project.api.post(path, { job_id: job.id, ...fields });
  return { path: `${path}/${body.id}`, id: body.id as string, source_id: source.id as string };
}

describe("GET /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", () => {
  it("T17 returns one of this source, and of no other", async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    expect((await project.api.get(one.path)).body).toMatchObject({ id: one.id, source_id: one.source_id });
    expect((await project.api.get(`/v1/event-sources/${other.source_id}/subscriptions/${one.id}`)).status).toBe(404);
  });
});

describe("PATCH /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", () => {
  it("T17 changes filter, template, key and enabled, and nothing without any", async () => {
    const { path, id } = await subscribed({ filter: "payload.a == 1.0", payload: { a: 1 } });
    const changes = { filter: null, payload: null, concurrency_key: "k-{{payload.id}}", enabled: false };
    expect((await project.api.patch(path, changes)).body).toMatchObject(changes);
    expect((await project.api.patch(path, (await project.api.get(path)).body)).status).toBe(200);
    expect(await actions(id)).toEqual(["event_subscription.created", "event_subscription.updated"]);
    expect((await project.api.patch(path, { filter: "nope" })).body.errors[0].location).toBe("body.filter");
    expect((await project.api.patch(path, { job_id: newId() })).body.code).toBe("read_only_field");
  });

  it("A2 rejects changes to the input of a job that the caller may not trigger", async () => {
    const { path } = await subscribed();
    const { api } = await project.newKey({ scopes: ["events:write", "events:read"] });
    expect((await api.patch(path, { payload: { a: 1 } })).body.code).toBe("scope_missing");
  });
});

describe("DELETE /v1/event-sources/{sourceID}/subscriptions/{subscriptionID}", () => {
  it("T17 deletes one of this source", async () => {
    const [{ body: source }, { body: other }] = [await create(), await create()];
    const job = await makeJob(project);
    const { body } = await project.api.post(`/v1/event-sources/${source.id}/subscriptions`, { job_id: job.id });
    const at = (id: string) => `/v1/event-sources/${id}/subscriptions/${body.id}`;
    expect((await project.api.delete(at(other.id))).status).toBe(404);
    expect((await project.api.delete(at(source.id))).status).toBe(204);
    expect((await project.api.delete(at(source.id))).status).toBe(404);
    expect(await actions(body.id)).toEqual(["event_subscription.created", "event_subscription.deleted"]);
  });
});
