import { beforeAll, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { seedJob, seedRun } from "../../../test/seed/seed-run.ts";
import { seedTrigger } from "../../../test/seed/seed-trigger.ts";
import { seedWorkflowRun } from "../../../test/seed/seed-workflow-run.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";
import { endRevoked } from "../../platform/streams/event-stream.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const READ = ["runs:read", "workflows:read", "events:read"];

/** A client with a new token. */
async function holder(fields: object, by = project.api) {
  const response = await by.post("/v1/tokens", { scopes: READ, ...fields });
  expect([response.status, response.text.slice(0, 300)]).toEqual([201, expect.any(String)]);
  return { token: response.body.token as string, api: world.as(response.body.token), body: response.body };
}

const refused = async (fields: object, by = project.api) => {
  const { status, body } = await by.post("/v1/tokens", { scopes: READ, ...fields });
  return [status, body.code, body.errors[0]?.location];
};

describe("POST /v1/tokens", () => {
  it("creates a token with the requested expiry, at most an hour from now", async () => {
    const { body } = await holder({ tags: { team: "a" }, scopes: ["runs:read"], ttl_secs: 60 });
    expect(body).toMatchObject({ scopes: ["runs:read"], tags: { team: "a" }, run_ids: null, workflow_run_ids: null });
    const lasts = Date.parse(body.expires_at) - Date.now();
    expect(lasts).toBeGreaterThan(50_000);
    expect(lasts).toBeLessThanOrEqual(60_000);
  });

  it("A12 writes an audit event with the token's limits, but not the token", async () => {
    const asked = { scopes: ["runs:read"], tags: { team: "audited" }, ttl_secs: 60 };
    const { body } = await project.api.post("/v1/tokens", asked);
    const [event] = (await project.api.get("/v1/audit-events?action=token.created&limit=1")).body.data;
    const { token, $schema: _, ...fields } = body;
    expect(event).toMatchObject({ actor_id: project.key_id, resource_type: "token", before: null, after: fields });
    const { jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    expect([event.resource_id, JSON.stringify(event).includes(token)]).toEqual([jti, false]);
  });

  it("rejects a token without limits, with both kinds of limits, with a longer lifetime, or with other scopes", async () => {
    const run_ids = [await seedRun(world.connection, project.id)];
    expect(await refused({})).toEqual([422, "validation_failed", "body.run_ids"]);
    expect(await refused({ run_ids, tags: { a: "b" } })).toEqual([422, "validation_failed", "body.tags"]);
    expect(await refused({ run_ids, ttl_secs: 3_601 })).toEqual([422, "validation_failed", "body.ttl_secs"]);
    expect(await refused({ run_ids: [] })).toEqual([422, "validation_failed", "body.run_ids"]);
    expect(await refused({ run_ids, scopes: [] })).toEqual([422, "validation_failed", "body.scopes"]);
    expect((await refused({ run_ids, scopes: ["runs:write"] }))[0]).toBe(422);
    expect((await refused({ run_ids, scopes: ["*"] }))[0]).toBe(422);
    expect(await refused({ run_ids, scopes: ["jobs:trigger"] })).toEqual([422, "validation_failed", "body.tags"]);
  });

  it("rejects objects that the caller cannot see", async () => {
    const other = await world.project();
    const foreign = await seedRun(world.connection, other.id);
    for (const id of [foreign, newId()])
      expect(await refused({ run_ids: [id] })).toEqual([422, "validation_failed", "body.run_ids"]);
    const workflow_run_ids = [newId()];
    expect(await refused({ workflow_run_ids })).toEqual([422, "validation_failed", "body.workflow_run_ids"]);
  });

  it("grants nothing that the caller does not hold, and requires an API key", async () => {
    const run_ids = [await seedRun(world.connection, project.id)];
    const { api } = await project.newKey({ scopes: ["runs:read"] });
    expect((await refused({ run_ids }, api)).slice(0, 2)).toEqual([403, "grant_too_wide"]);
    await holder({ run_ids, scopes: ["runs:read"] }, api);
    const secret = await world.admin.post("/v1/tokens", { scopes: READ, run_ids, project_id: project.id });
    expect(secret.status).toBe(422);
    const { api: narrow } = await holder({ run_ids });
    expect((await narrow.post("/v1/tokens", { scopes: READ, run_ids })).status).toBe(403);
  });
});

describe("a scoped token", () => {
  it("reads its own runs with all their records, and no others", async () => {
    const [own, other] = [await seedRun(world.connection, project.id), await seedRun(world.connection, project.id)];
    const { api } = await holder({ run_ids: [own] });
    const below = [
      "",
      "/logs",
      "/outputs",
      "/usage",
      "/tool-calls",
      "/checkpoints",
      "/attempts",
      "/transitions",
      "/children",
    ];
    for (const path of below) {
      expect([path, (await api.get(`/v1/runs/${own}${path}`)).status]).toEqual([path, 200]);
      expect([path, (await api.get(`/v1/runs/${other}${path}`)).status]).toEqual([path, 404]);
    }
    const { body } = await api.get("/v1/runs");
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own]);
    expect((await api.get("/v1/workflow-runs")).body.data).toEqual([]);
    expect((await api.get("/v1/events")).body.data).toEqual([]);
  });

  it("by tags reads all runs with every one of them, including later ones", async () => {
    const tags = { team: `t-${newId()}`, kind: "x" };
    const own = await seedRun(world.connection, project.id, { tags: { ...tags, more: "yes" } });
    await seedRun(world.connection, project.id, { tags: { team: tags.team, kind: "y" } });
    const { api } = await holder({ tags });
    const later = await seedRun(world.connection, project.id, { tags });
    const { body } = await api.get("/v1/runs?order=asc");
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([own, later]);
  });

  it("for a workflow run reads its steps, its runs and their waits", async () => {
    const workflow_run_id = await seedWorkflowRun(world.connection, project.id);
    const other = await seedWorkflowRun(world.connection, project.id);
    const step = await seedRun(world.connection, project.id, { workflow_run_id });
    const { event_key } = await seedTrigger(world.connection, project.id, { workflow_run_id });
    const { event_key: hidden } = await seedTrigger(world.connection, project.id);
    const { api } = await holder({ workflow_run_ids: [workflow_run_id] });
    for (const path of ["", "/steps", "/graph", "/explain"]) {
      expect([path, (await api.get(`/v1/workflow-runs/${workflow_run_id}${path}`)).status]).toEqual([path, 200]);
      expect([path, (await api.get(`/v1/workflow-runs/${other}${path}`)).status]).toEqual([path, 404]);
    }
    expect((await api.get(`/v1/runs/${step}`)).status).toBe(200);
    expect((await api.get(`/v1/events/${event_key}`)).status).toBe(200);
    expect((await api.get(`/v1/events/${hidden}`)).status).toBe(404);
    const { body } = await api.get("/v1/workflow-runs");
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([workflow_run_id]);
  });

  it("A5 streams its own runs with ?token=, and no others", async () => {
    const [own, other] = [await seedRun(world.connection, project.id), await seedRun(world.connection, project.id)];
    const { token, api } = await holder({ run_ids: [own] });
    const stream = await readStream(world.url, `/v1/stream?topics=runs,events,workflow_runs&token=${token}`);
    const one = await readStream(world.url, `/v1/runs/${own}/stream?token=${token}`);
    expect([stream.status, one.status]).toEqual([200, 200]);
    for (const id of [other, own]) expect((await project.api.post(`/v1/runs/${id}/cancel`)).status).toBe(200);
    await stream.next("change", (data) => data.id === own && data.object.status === "canceled");
    await one.ended();
    expect(stream.events.filter(({ event, data }) => event === "change" && data.id !== own)).toEqual([]);
    for (const topic of [`run:${other}`, `run_logs:${other}`])
      expect((await api.get(`/v1/stream?topics=${topic}`)).status).toBe(404);
    stream.close();
  });

  it("is rejected on all other routes", async () => {
    const run = await seedRun(world.connection, project.id);
    const { api } = await holder({ run_ids: [run] });
    const paths = ["/v1/jobs", "/v1/me", "/v1/logs", "/v1/projects", "/v1/api-keys", "/v1/events/stats", "/v1/session"];
    for (const path of paths) expect([path, (await api.get(path)).status]).toEqual([path, 403]);
    for (const verb of ["cancel", "pause", "replay"])
      expect((await api.post(`/v1/runs/${run}/${verb}`)).status).toBe(403);
    expect((await api.delete(`/v1/runs/${run}/data`)).status).toBe(403);
    expect((await api.post(`/sdk/v1/runs/${run}/heartbeat`)).status).toBe(401);
    expect((await api.post("/v1/events/x/send", {})).body.code).toBe("scope_missing");
  });

  it("is limited to its scopes", async () => {
    const run = await seedRun(world.connection, project.id);
    const { api } = await holder({ run_ids: [run], scopes: ["events:read"] });
    expect((await api.get(`/v1/runs/${run}`)).body.code).toBe("scope_missing");
    expect((await api.get(`/v1/stream?topics=run:${run}`)).body.code).toBe("scope_missing");
  });

  it("triggers runs with its tags, if it has that scope", async () => {
    const tags = { team: `t-${newId()}` };
    const { id } = await seedJob(world.connection, project.id);
    const { api } = await holder({ tags, scopes: ["jobs:trigger", "runs:read"] });
    const asked = { payload: { seen: 1 }, tags: { mine: "1", team: "another" } };
    const triggered = await api.post(`/v1/jobs/${id}/trigger`, asked);
    expect([triggered.status, triggered.body.tags]).toEqual([201, { mine: "1", ...tags }]);
    expect((await api.get(`/v1/runs/${triggered.body.id}`)).status).toBe(200);
    expect((await api.post(`/v1/jobs/${id}/trigger/bulk`, { items: [asked] })).status).toBe(403);
  });

  it("never gets a run in a response that it could not read", async () => {
    const job = { name: `Job ${newId()}`, endpoint_url: "https://example.com/", dedup_window_secs: 600 };
    const { id } = (await project.api.post("/v1/jobs", job)).body;
    const before = await project.api.post(`/v1/jobs/${id}/trigger`, { payload: { same: 1 } });
    expect(before.status).toBe(201);
    const { api } = await holder({ tags: { team: newId() }, scopes: ["jobs:trigger", "runs:read"] });
    expect((await api.post(`/v1/jobs/${id}/trigger`, { payload: { same: 1 } })).status).toBe(404);
  });

  it("sends events to waits in its own runs, and cannot store events for later", async () => {
    const [own, other] = [
      await seedTrigger(world.connection, project.id),
      await seedTrigger(world.connection, project.id),
    ];
    const { api } = await holder({ run_ids: [own.job_run_id ?? ""], scopes: ["events:send", "events:read"] });
    expect((await api.post(`/v1/events/${other.event_key}/send`, {})).status).toBe(404);
    expect((await api.post(`/v1/events/${newId()}/send`, { buffer_secs: 60 })).status).toBe(403);
    expect((await api.get(`/v1/events/${own.event_key}`)).body.callback_url).toBeNull();
    expect((await api.post(`/v1/events/${own.event_key}/send`, { payload: 1 })).status).toBe(200);
  });

  it("is limited to its key's environment", async () => {
    const { body } = await project.api.get("/v1/environments");
    const staging = body.data.find(({ slug }: { slug: string }) => slug === "staging").id;
    const { api: bound } = await project.newKey({ environment_id: staging });
    const tags = { team: newId() };
    await seedRun(world.connection, project.id, { tags });
    const shown = await seedRun(world.connection, project.id, { tags, environment_id: staging });
    const { api } = await holder({ tags }, bound);
    expect((await api.get("/v1/runs")).body.data.map(({ id }: { id: string }) => id)).toEqual([shown]);
  });

  it("A11 ends with the key that created it, and so do its streams", async () => {
    const run = await seedRun(world.connection, project.id);
    const key = await project.newKey();
    const { token, api } = await holder({ run_ids: [run] }, key.api);
    const stream = await readStream(world.url, `/v1/stream?topics=run:${run}&token=${token}`);
    expect((await api.get(`/v1/runs/${run}`)).status).toBe(200);
    await project.api.delete(`/v1/api-keys/${key.id}`);
    const after = await api.get(`/v1/runs/${run}`);
    expect([after.status, after.body.code]).toEqual([401, "key_revoked"]);
    await endRevoked(world.ctx);
    await stream.ended();
  });

  it("stays valid when its key is rotated", async () => {
    const run = await seedRun(world.connection, project.id);
    const key = await project.newKey();
    const { api } = await holder({ run_ids: [run] }, key.api);
    await project.api.post(`/v1/api-keys/${key.id}/rotate`, {});
    expect((await api.get(`/v1/runs/${run}`)).status).toBe(200);
  });

  it("is 401 if a character of it is changed, or if another service signed it", async () => {
    const run = await seedRun(world.connection, project.id);
    const { token } = await holder({ run_ids: [run] });
    const [head = "", body = "", signature = ""] = token.split(".");
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    const wider = Buffer.from(JSON.stringify({ ...claims, scp: ["*"] })).toString("base64url");
    const none = Buffer.from('{"alg":"none","typ":"access+jwt"}').toString("base64url");
    const forged = [
      `${head}.${wider}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.`,
      `${token}x`,
      `${head}.${body}.${signature.slice(1)}`,
    ];
    for (const each of forged) expect((await world.as(each).get(`/v1/runs/${run}`)).status).toBe(401);
    const otherService = await world.anotherInstance({ jwt_signing_keys: ["another-key-that-signs-0123456789012"] });
    const response = await fetch(`${otherService.url}/v1/runs/${run}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(401);
  });

  it("expires", async () => {
    const run = await seedRun(world.connection, project.id);
    const { api } = await holder({ run_ids: [run], ttl_secs: 120 });
    await world.clock.pass("60s");
    expect((await api.get(`/v1/runs/${run}`)).status).toBe(200);
    await world.clock.pass("61s");
    expect((await api.get(`/v1/runs/${run}`)).body.code).toBe("key_expired");
  });
});
