import { beforeAll, describe, expect, it } from "vitest";
import { type DrainReceiver, drainReceiver } from "../../../test/outside/drain-receiver.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
let receiver: DrainReceiver;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  receiver = await drainReceiver();
});

const create = (fields: Record<string, unknown> = {}, api = project.api) =>
  api.post("/v1/log-drains", { name: "Collector", url: receiver.url, ...fields });

async function audits(resource_id: string): Promise<{ action: string; text: string }[]> {
  return runSql(
    world.connection,
    "select action, concat(before, after) as text from audit_events where resource_id = $1 order by created_at, id",
    [resource_id],
  );
}

describe("POST /v1/log-drains", () => {
  it("H5 creates a drain that starts with lines logged from now on", async () => {
    const response = await create();
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      ...{ project_id: project.id, name: "Collector", url: receiver.url, format: "json", min_level: "debug" },
      ...{ auth_type: "none", auth_name: null, job_ids: null, environment_id: null, enabled: true, state: "idle" },
      ...{ delivered_count: 0, dropped_count: 0, refused_count: 0, last_error: null, oldest_unsent_at: null },
    });
    expect((await audits(response.body.id)).map(({ action }) => action)).toEqual(["log_drain.created"]);
  });

  it.each([
    ["bearer", { token: "s3cret-token" }, null],
    ["basic", { username: "ada", password: "s3cret-pass" }, "ada"],
    ["header", { name: "x-api-key", value: "s3cret-value" }, "x-api-key"],
  ])("stores %s credentials encrypted and never returns them", async (type, secrets, shown) => {
    const { body } = await create({ auth: { type, ...secrets } });
    expect(body).toMatchObject({ auth_type: type, auth_name: shown });
    const stored = await runSql(world.connection, "select d::text as text from log_drains d where id = $1", [body.id]);
    const visible = JSON.stringify([
      body,
      stored,
      await audits(body.id),
      (await project.api.get("/v1/log-drains")).body,
    ]);
    expect(visible).not.toContain("s3cret");
  });

  it("reports all issues at once, with their locations and without the secrets", async () => {
    const response = await create({
      url: "ftp://example.com/",
      job_ids: ["nobody"],
      auth: { type: "basic", username: "ada", token: "s3cret" },
    });
    expect(response.status).toBe(422);
    expect(response.body.errors.map(({ location }: { location: string }) => location)).toEqual([
      ...["body.url", "body.auth.password", "body.auth.token", "body.job_ids[0]"],
    ]);
    expect(response.text).not.toContain("s3cret");
  });

  it.each([
    [{ format: "xml" }, "body.format"],
    [{ min_level: "loud" }, "body.min_level"],
    [{ environment_id: "nowhere" }, "body.environment_id"],
    [{ auth: { type: "header", name: "X-Svc-Signature", value: "x" } }, "body.auth.name"],
    [{ auth: { type: "header", name: "a b", value: "x" } }, "body.auth.name"],
    [{ auth: { type: "bearer", token: "line\nbreak" } }, "body.auth.token"],
    [{ job_ids: [] }, "body.job_ids"],
    [{ unknown: 1 }, "body.unknown"],
  ])("rejects %j", async (fields, location) => {
    const response = await create(fields);
    expect(response.status).toBe(422);
    expect(response.body.errors[0].location).toBe(location);
  });

  it("accepts slugs for jobs", async () => {
    const job = await project.api.post("/v1/jobs", { name: "Mail", slug: "mail", endpoint_url: receiver.url });
    expect((await create({ job_ids: ["mail"] })).body.job_ids).toEqual([job.body.id]);
  });

  it("A2 limits a key bound to an environment to drains of that environment", async () => {
    const { body } = await project.api.get("/v1/environments");
    const [one, other] = body.data;
    const bound = await project.newKey({ environment_id: one.id });
    expect((await create({}, bound.api)).body.environment_id).toBe(one.id);
    expect((await create({ environment_id: other.id }, bound.api)).status).toBe(422);
    expect((await create({ environment_id: null }, bound.api)).status).toBe(403);
    const ofAll = (await create()).body;
    expect((await bound.api.get(`/v1/log-drains/${ofAll.id}`)).status).toBe(404);
    const seen = (await bound.api.get("/v1/log-drains")).body.data;
    expect(seen.map(({ environment_id }: { environment_id: string }) => environment_id)).toEqual([one.id]);
  });
});

describe("GET /v1/log-drains", () => {
  it("lists those of the project", async () => {
    const other = await world.project();
    const { body } = await create({}, other.api);
    const listed = (await other.api.get("/v1/log-drains")).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([body.id]);
  });
});

describe("GET /v1/log-drains/{drainID}", () => {
  it("returns one, and 404 for one of another project", async () => {
    const { body } = await create();
    expect((await project.api.get(`/v1/log-drains/${body.id}`)).body).toEqual(body);
    const other = await world.project();
    expect((await other.api.get(`/v1/log-drains/${body.id}`)).status).toBe(404);
  });
});

describe("PATCH /v1/log-drains/{drainID}", () => {
  it("changes the given fields, keeps credentials that are omitted, and is audited", async () => {
    const { body } = await create({ auth: { type: "bearer", token: "kept" } });
    const response = await project.api.patch(`/v1/log-drains/${body.id}`, { format: "otlp", min_level: "warn" });
    expect(response.body).toMatchObject({ format: "otlp", min_level: "warn", auth_type: "bearer", url: receiver.url });
    await project.api.post(`/v1/log-drains/${body.id}/test`);
    expect(receiver.taken.at(-1)?.headers.authorization).toBe("Bearer kept");
    expect((await audits(body.id)).map(({ action }) => action)).toEqual(["log_drain.created", "log_drain.updated"]);
  });

  it("accepts the GET response unchanged", async () => {
    const { body } = await create({ auth: { type: "basic", username: "a", password: "b" } });
    const got = (await project.api.get(`/v1/log-drains/${body.id}`)).body;
    const response = await project.api.patch(`/v1/log-drains/${body.id}`, { ...got, name: "Renamed" });
    expect([response.status, response.body.name, response.body.auth_type]).toEqual([200, "Renamed", "basic"]);
    expect((await project.api.patch(`/v1/log-drains/${body.id}`, { name: "Renamed" })).status).toBe(200);
    expect(await audits(body.id)).toHaveLength(2);
  });

  it("rejects what a creation would reject", async () => {
    const { body } = await create();
    const response = await project.api.patch(`/v1/log-drains/${body.id}`, { url: "http://10.0.0.1:22/" });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.url"]);
    expect((await project.api.patch("/v1/log-drains/nothing", { name: "x" })).status).toBe(404);
  });
});

describe("DELETE /v1/log-drains/{drainID}", () => {
  it("deletes it for good", async () => {
    const { body } = await create();
    expect((await project.api.delete(`/v1/log-drains/${body.id}`)).status).toBe(204);
    expect((await project.api.get(`/v1/log-drains/${body.id}`)).status).toBe(404);
    expect((await project.api.delete(`/v1/log-drains/${body.id}`)).status).toBe(404);
  });
});

describe("POST /v1/log-drains/{drainID}/test", () => {
  it("sends a record as the drain would, and shows the request and the response", async () => {
    const { body } = await create({ auth: { type: "header", name: "x-api-key", value: "k" } });
    const response = await project.api.post(`/v1/log-drains/${body.id}/test`);
    expect(response.body).toMatchObject({ delivered: true, status_code: 200, error: null });
    const got = receiver.taken.at(-1);
    expect(got?.headers["x-api-key"]).toBe("k");
    expect(got?.body).toBe(response.body.sent);
    expect(JSON.parse(response.body.sent)).toEqual([
      expect.objectContaining({
        level: "info",
        message: expect.stringContaining("test record"),
        project_id: project.id,
      }),
    ]);
  });

  it("reports what went wrong, and leaves the drain unchanged", async () => {
    const refusing = await drainReceiver();
    refusing.respondWith(() => 401);
    const { body } = await create({ url: refusing.url });
    const response = await project.api.post(`/v1/log-drains/${body.id}/test`);
    expect(response.body).toMatchObject({ delivered: false, status_code: 401 });
    expect(response.body.error).toContain("no thanks");
    expect((await project.api.get(`/v1/log-drains/${body.id}`)).body.consecutive_failures).toBe(0);
  });

  it("does not return a secret that the receiver echoes", async () => {
    const refusing = await drainReceiver();
    refusing.respondWith(() => 403);
    refusing.says(({ headers }) => `you said ${headers.authorization}`);
    const { body } = await create({ url: refusing.url, auth: { type: "bearer", token: "s3cret-token" } });
    const response = await project.api.post(`/v1/log-drains/${body.id}/test`);
    expect(response.body.error).toContain("you said");
    expect(response.text).not.toContain("s3cret");
  });
});
