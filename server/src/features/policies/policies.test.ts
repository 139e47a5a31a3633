import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import type { Client } from "../../../test/world/client.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { newId } from "../../platform/ids.ts";

let world: World;
let project: TestProject;
let reader: { id: string; key: string; api: Client };
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
  reader = await project.newKey({ scopes: ["jobs:read", "runs:read", "jobs:trigger", "workflows:read"] });
});

const deny = (fields: Record<string, unknown>) =>
  project.api.post("/v1/resource-policies", {
    ...{ effect: "deny", actions: ["*"], subject: `api_key:${reader.id}`, resource_type: "job", resource_id: "*" },
    ...fields,
  });
const tagged = (fields: Record<string, unknown>) =>
  project.api.post("/v1/tag-policies", {
    ...{ effect: "deny", actions: ["*"], subject: `api_key:${reader.id}`, tag_key: "team", tag_value: null },
    ...fields,
  });
async function newJob(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await project.api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/", ...fields });
  return body.id;
}
const idsOf = async (api: Client, path: string) =>
  (await api.get(path)).body.data.map(({ id }: { id: string }) => id).toSorted();

const ABOUT = {
  resource: {
    path: "/v1/resource-policies",
    about: { resource_type: "job", resource_id: "*" },
    change: { resource_type: "environment" },
  },
  tag: { path: "/v1/tag-policies", about: { tag_key: "team", tag_value: "a" }, change: { tag_value: null } },
} as const;
type Kind = keyof typeof ABOUT;

const bodyOf = (kind: Kind) => ({
  ...{ effect: "deny", actions: ["jobs:write"], subject: "role:viewer" },
  ...ABOUT[kind].about,
});
const make = async (kind: Kind) => (await project.api.post(ABOUT[kind].path, bodyOf(kind))).body;
const actionsOf = async (kind: Kind) =>
  (await project.api.get(`/v1/audit-events?action=${kind}_policy.*&order=asc`)).body.data.map(
    ({ action }: { action: string }) => action.split(".")[1],
  );

async function lists(kind: Kind): Promise<void> {
  const { id } = await make(kind);
  await make(kind === "tag" ? "resource" : "tag");
  expect(await idsOf(project.api, ABOUT[kind].path)).toEqual([id]);
}

async function reads(kind: Kind): Promise<void> {
  const made = await make(kind);
  expect(made).toMatchObject({ ...ABOUT[kind].about, effect: "deny", actions: ["jobs:write"] });
  expect(made.subject).toMatch(/^role:[0-9a-f-]{36}$/);
  expect((await project.api.get(`${ABOUT[kind].path}/${made.id}`)).body).toEqual(made);
  const other = ABOUT[kind === "tag" ? "resource" : "tag"].path;
  expect((await project.api.get(`${other}/${made.id}`)).status).toBe(404);
  expect((await (await world.project()).api.get(`${ABOUT[kind].path}/${made.id}`)).status).toBe(404);
}

async function changes(kind: Kind): Promise<void> {
  const { path, change } = ABOUT[kind];
  const { id } = await make(kind);
  expect((await project.api.patch(`${path}/${id}`, change)).body).toMatchObject(change);
  const got = (await project.api.get(`${path}/${id}`)).body;
  expect((await project.api.patch(`${path}/${id}`, { ...got, description: "why" })).status).toBe(200);
  expect((await project.api.patch(`${path}/${id}`, { description: "why" })).status).toBe(200);
  expect(await actionsOf(kind)).toEqual(["created", "updated", "updated"]);
}

async function deletes(kind: Kind): Promise<void> {
  const { path } = ABOUT[kind];
  const { id } = await make(kind);
  expect((await project.api.delete(`${path}/${id}`)).status).toBe(204);
  expect((await project.api.get(`${path}/${id}`)).status).toBe(404);
  expect((await project.api.delete(`${path}/${id}`)).status).toBe(404);
  expect(await actionsOf(kind)).toEqual(["created", "deleted"]);
}

describe("GET /v1/resource-policies", () => {
  it("A7 lists them, and none of the other kind", () => lists("resource"));
});
describe("GET /v1/tag-policies", () => {
  it("A7 lists them, and none of the other kind", () => lists("tag"));
});
describe("GET /v1/resource-policies/{policyID}", () => {
  it("A7 returns one, not under the other path and not from another project", () => reads("resource"));
});
describe("GET /v1/tag-policies/{policyID}", () => {
  it("A7 returns one, not under the other path and not from another project", () => reads("tag"));
});
describe("PATCH /v1/resource-policies/{policyID}", () => {
  it("A7 changes it, and accepts the GET response; without changes, nothing is recorded", () => changes("resource"));
});
describe("PATCH /v1/tag-policies/{policyID}", () => {
  it("A7 changes it, and accepts the GET response; without changes, nothing is recorded", () => changes("tag"));
});
describe("DELETE /v1/resource-policies/{policyID}", () => {
  it("A7 deletes it for good", () => deletes("resource"));
});
describe("DELETE /v1/tag-policies/{policyID}", () => {
  it("A7 deletes it for good", () => deletes("tag"));
});

describe.each(["resource", "tag"] as const)("a new %s policy", (kind) => {
  it.each([
    [{ subject: "role:nobody" }, "body.subject"],
    [{ subject: "api_key:01900000-0000-7000-8000-000000000000" }, "body.subject"],
    [{ subject: "everybody" }, "body.subject"],
    [{ actions: ["fly"] }, "body.actions[0]"],
    [{ actions: [] }, "body.actions"],
    [{ effect: "maybe" }, "body.effect"],
  ])("is rejected with %j", async (fields, location) => {
    const response = await project.api.post(ABOUT[kind].path, { ...bodyOf(kind), ...fields });
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("A7 rejects allowing what the caller does not hold", async () => {
    const key = await project.newKey({ scopes: ["access:write", "runs:read"] });
    const ask = (fields: Record<string, unknown>) => key.api.post(ABOUT[kind].path, { ...bodyOf(kind), ...fields });
    expect((await ask({ effect: "allow", actions: ["runs:read"] })).status).toBe(201);
    expect((await ask({ effect: "allow", actions: ["runs:write"] })).body.code).toBe("grant_too_wide");
    expect((await ask({ effect: "deny", actions: ["runs:write"] })).status).toBe(201);
  });
});

describe("POST /v1/resource-policies", () => {
  it("A7 accepts a resource by id or slug and stores the id, as does PATCH", async () => {
    const job = await newJob({ slug: "closed" });
    const staging = (await project.api.get("/v1/environments/staging")).body.id;
    const { id, resource_id } = (await deny({ resource_id: "closed" })).body;
    expect(resource_id).toBe(job);
    expect((await reader.api.get("/v1/jobs/closed")).status).toBe(404);
    const path = `/v1/resource-policies/${id}`;
    const moved = await project.api.patch(path, { resource_type: "environment", resource_id: "staging" });
    expect(moved.body).toMatchObject({ resource_type: "environment", resource_id: staging });
    expect((await deny({ resource_type: "*", resource_id: job })).body.resource_id).toBe(job);
  });

  it("A7 rejects an unknown resource, or one of another project or kind, with its location", async () => {
    const job = await newJob();
    const foreign = await world.project();
    const body = { name: "Job", endpoint_url: "https://example.com/" };
    const { id: theirs } = (await foreign.api.post("/v1/jobs", body)).body;
    const requested = [
      { resource_id: "a-typo" },
      { resource_id: theirs },
      { resource_id: newId() },
      { resource_type: "workflow", resource_id: job },
      { resource_type: "*", resource_id: "a-typo" },
    ];
    for (const fields of requested) {
      const response = await deny(fields);
      expect([response.status, response.body.errors?.[0].location]).toEqual([422, "body.resource_id"]);
    }
    const message = async (resource_type: string) =>
      (await deny({ resource_type, resource_id: newId() })).body.errors[0].message;
    expect(await message("environment")).toMatch(/^is not an environment of this project/);
    expect(await message("api_key")).toMatch(/^is not an API key of this project/);
    const { id } = (await deny({ resource_id: job })).body;
    const retyped = await project.api.patch(`/v1/resource-policies/${id}`, { resource_type: "run" });
    expect([retyped.status, retyped.body.errors?.[0].location]).toEqual([422, "body.resource_id"]);
    expect((await deny({ subject: "member:nobody" })).body.errors?.[0].location).toBe("body.subject");
  });

  it("A7 shows that a policy matches nothing: its resource was deleted, or nothing has its tag", async () => {
    const job = await newJob({ tags: { team: "a" } });
    const [byJob, byTag] = [(await deny({ resource_id: job })).body, (await tagged({ tag_value: "a" })).body];
    const unused = (await tagged({ tag_key: "nobody-has-it" })).body;
    expect([byJob, byTag, unused].map((each) => each.matches_anything)).toEqual([true, true, false]);
    await project.api.delete(`/v1/jobs/${job}`);
    const paths = [`/v1/resource-policies/${byJob.id}`, `/v1/tag-policies/${byTag.id}`];
    for (const path of paths) expect((await project.api.get(path)).body.matches_anything).toBe(false);
    const [listed] = (await project.api.get("/v1/resource-policies")).body.data;
    expect(listed.matches_anything).toBe(false);
    const sentBack = await project.api.patch(paths[0] ?? "", { ...listed, description: "kept" });
    expect([sentBack.status, sentBack.body.resource_id]).toEqual([200, job]);
  });

  it("A7 shows that a policy matches nothing if none of its actions applies to its resource", async () => {
    const job = await newJob({ tags: { team: "a" } });
    const acts = async (actions: string[]) => [
      (await deny({ resource_id: job, actions })).body.matches_anything,
      (await tagged({ tag_value: "a", actions })).body.matches_anything,
    ];
    expect(await acts(["events:read", "audit:read"])).toEqual([false, false]);
    expect(await acts(["events:read", "runs:*"])).toEqual([true, true]);
  });

  it("A7 deny: hides its resource in gets, lists, triggers and sub-resources", async () => {
    const [open, closed] = [await newJob(), await newJob()];
    const runs = [
      await seedRun(world.connection, project.id, await versionOf(open)),
      await seedRun(world.connection, project.id, await versionOf(closed)),
    ];
    await deny({ resource_id: closed });
    const { api } = reader;
    expect((await api.get(`/v1/jobs/${open}`)).status).toBe(200);
    expect((await api.get(`/v1/jobs/${closed}`)).status).toBe(404);
    expect(await idsOf(api, "/v1/jobs")).toEqual([open]);
    expect((await api.post(`/v1/jobs/${closed}/trigger`, {})).status).toBe(404);
    expect((await api.post(`/v1/jobs/${open}/trigger`, { dry_run: true })).status).toBe(200);
    expect((await api.get(`/v1/runs/${runs[1]}`)).status).toBe(404);
    expect(await idsOf(api, "/v1/runs")).toEqual([runs[0]]);
    expect((await api.get(`/v1/runs/${runs[1]}/stream`)).status).toBe(404);
    expect((await api.get(`/v1/stream?topics=run:${runs[1]}`)).status).toBe(404);
    expect((await project.api.get(`/v1/jobs/${closed}`)).status).toBe(200);
  });

  it("A7 deny of a whole kind: returns an error that names the policy", async () => {
    const { id } = (await deny({ actions: ["jobs:read"] })).body;
    const response = await reader.api.get("/v1/jobs");
    expect([response.status, response.body.code]).toEqual([403, "policy_denied"]);
    expect(response.body.detail).toContain(id);
    expect((await reader.api.get("/v1/workflows")).status).toBe(200);
  });

  it("A7 allow: opens its resource, and nothing else, to a caller without the scope", async () => {
    const [open, closed] = [await newJob(), await newJob()];
    const outsider = await project.newKey({ scopes: ["events:read"] });
    expect((await outsider.api.get(`/v1/jobs/${open}`)).status).toBe(403);
    await deny({
      effect: "allow",
      actions: ["jobs:read", "jobs:write"],
      subject: `api_key:${outsider.id}`,
      resource_id: open,
    });
    expect((await outsider.api.get(`/v1/jobs/${open}`)).status).toBe(200);
    expect((await outsider.api.get(`/v1/jobs/${closed}`)).status).toBe(403);
    expect(await idsOf(outsider.api, "/v1/jobs")).toEqual([open]);
    expect((await outsider.api.patch(`/v1/jobs/${open}`, { name: "Mine" })).status).toBe(200);
    expect((await outsider.api.patch(`/v1/jobs/${closed}`, { name: "Mine" })).status).toBe(403);
    const body = { name: "New", endpoint_url: "https://example.com/" };
    expect((await outsider.api.post("/v1/jobs", body)).status).toBe(403);
    expect((await outsider.api.get("/v1/workflows")).status).toBe(403);
  });

  it("A7 allow of one resource: reveals nothing about the others, which keep returning 403", async () => {
    const [open, closed] = [await newJob({ slug: "open" }), await newJob({ slug: "closed" })];
    const theirs = (await (await world.project()).api.get("/v1/environments")).body.data[0].id;
    const outsider = await project.newKey({ scopes: ["events:read"] });
    const responses = async () => {
      const refs = [closed, "closed", newId(), "no-such-job", theirs];
      const requested = refs.flatMap((ref) => [
        outsider.api.get(`/v1/jobs/${ref}`),
        outsider.api.patch(`/v1/jobs/${ref}`, { name: "Mine" }),
        outsider.api.post(`/v1/jobs/${ref}/trigger`, {}),
        outsider.api.get(`/v1/jobs/${ref}/versions`),
      ]);
      return (await Promise.all(requested)).map(({ status, body }) => [status, body.code, body.detail]);
    };
    const before = await responses();
    await deny({ effect: "allow", subject: `api_key:${outsider.id}`, resource_id: open });
    expect(await responses()).toEqual(before);
    expect(new Set(before.map(([status]) => status))).toEqual(new Set([403]));
    const version = await outsider.api.get(`/v1/jobs/open/versions/${newId()}`);
    expect([version.status, (await outsider.api.get("/v1/jobs/open")).status]).toEqual([404, 200]);
  });

  it("A7 deny: wins over allow and over every scope", async () => {
    const job = await newJob();
    await deny({ effect: "allow", resource_id: job });
    expect((await reader.api.get(`/v1/jobs/${job}`)).status).toBe(200);
    await deny({ resource_id: job });
    expect((await reader.api.get(`/v1/jobs/${job}`)).status).toBe(404);
  });

  it("A7 covers everything in an environment, but not the internal secret", async () => {
    const [environment] = (await project.api.get("/v1/environments")).body.data;
    const job = await newJob({ environment_id: environment.id });
    await deny({ subject: "*", actions: ["jobs:read"], resource_type: "environment", resource_id: environment.id });
    expect((await project.api.get(`/v1/jobs/${job}`)).status).toBe(404);
    expect((await world.admin.get(`/v1/jobs/${job}`)).status).toBe(200);
  });

  it("A7 applies until it is deleted", async () => {
    const job = await newJob();
    const { id } = (await deny({ resource_id: job })).body;
    expect((await reader.api.get(`/v1/jobs/${job}`)).status).toBe(404);
    await project.api.delete(`/v1/resource-policies/${id}`);
    expect((await reader.api.get(`/v1/jobs/${job}`)).status).toBe(200);
  });
});

describe("POST /v1/tag-policies", () => {
  it("A7 covers jobs and runs with the tag, with its value or any", async () => {
    const [a, b, none] = [await newJob({ tags: { team: "a" } }), await newJob({ tags: { team: "b" } }), await newJob()];
    await tagged({ tag_value: "a" });
    expect(await idsOf(reader.api, "/v1/jobs")).toEqual([b, none].toSorted());
    expect((await reader.api.post(`/v1/jobs/${a}/trigger`, {})).status).toBe(404);
    const run = await seedRun(world.connection, project.id, { ...(await versionOf(b)), tags: { team: "a" } });
    expect((await reader.api.get(`/v1/runs/${run}`)).status).toBe(404);
    await tagged({ tag_value: null });
    expect(await idsOf(reader.api, "/v1/jobs")).toEqual([none]);
  });

  it("A7 hides from a stream of all runs what a get would reject", async () => {
    await tagged({ tag_value: "secret" });
    const stream = await readStream(world.url, "/v1/stream?topics=runs", { authorization: `Bearer ${reader.key}` });
    await stream.next("open");
    const shown = await newJob();
    await project.api.post(`/v1/jobs/${shown}/trigger`, { tags: { team: "secret" }, delay_secs: 60 });
    const { body } = await project.api.post(`/v1/jobs/${shown}/trigger`, { tags: { team: "open" }, delay_secs: 60 });
    const change = await stream.next("change");
    expect(change.id).toBe(body.id);
    stream.close();
  });
});

describe("POST /v1/access/check", () => {
  const check = async (fields: Record<string, unknown>) =>
    (await project.api.post("/v1/access/check", { subject: `api_key:${reader.id}`, ...fields })).body;

  it("A7 returns the decision and the reason: the scope, an allow, a deny, nothing", async () => {
    const job = await newJob();
    const resource = { resource_type: "job", resource_id: job };
    expect(await check({ action: "jobs:read", ...resource })).toMatchObject({ allowed: true, decided_by: "scope" });
    expect(await check({ action: "jobs:write", ...resource })).toMatchObject({ allowed: false, decided_by: "nothing" });
    const allow = (await deny({ effect: "allow", actions: ["jobs:write"], resource_id: job })).body;
    expect(await check({ action: "jobs:write", ...resource })).toMatchObject({
      ...{ allowed: true, decided_by: "allow_policy", policy_id: allow.id },
    });
    const denying = (await deny({ resource_id: job })).body;
    expect(await check({ action: "jobs:read", ...resource })).toMatchObject({
      ...{
        allowed: false,
        decided_by: "deny_policy",
        policy_id: denying.id,
        reason: expect.stringContaining("denies"),
      },
    });
  });

  it("A6 shows the roles on the path to a permission", async () => {
    await project.api.post("/v1/roles", { name: "Lead", parent_role_id: "viewer" });
    await project.api.post("/v1/members", { subject: "ada", role_id: "Lead" });
    expect(await check({ subject: "member:ada", action: "jobs:read" })).toMatchObject({
      ...{ allowed: true, decided_by: "scope", granted_by: ["Lead", "viewer"] },
    });
    expect(await check({ subject: "role:Lead", action: "jobs:write" })).toMatchObject({ allowed: false });
  });

  it("rejects unknown subjects and resources", async () => {
    for (const fields of [{ subject: "member:nobody" }, { resource_type: "job", resource_id: "nothing" }])
      expect((await check({ action: "jobs:read", ...fields })).status).toBe(422);
  });

  it("A7 agrees with the API for random policies and resources", async () => {
    const random = randomFrom(testSeed("policies"));
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const jobs: string[] = [];
    for (let n = 0; n < 6; n++)
      jobs.push(await newJob({ tags: { team: pick(["a", "b"]), ...(n % 2 && { hot: "1" }) } }));
    for (let n = 0; n < 8; n++) {
      const shared = { effect: pick(["allow", "deny"]), actions: [pick(["jobs:read", "jobs:*", "runs:read"])] };
      const subject = pick(["*", `api_key:${reader.id}`, "role:viewer"]);
      if (random() < 0.5) await deny({ ...shared, subject, resource_type: "job", resource_id: pick(jobs) });
      else await tagged({ ...shared, subject, tag_key: pick(["team", "hot"]), tag_value: pick([null, "a", "1"]) });
    }
    const listed = new Set(await idsOf(reader.api, "/v1/jobs"));
    for (const id of jobs) {
      const { allowed } = await check({ action: "jobs:read", resource_type: "job", resource_id: id });
      const { status } = await reader.api.get(`/v1/jobs/${id}`);
      expect({ id, get: status === 200, list: listed.has(id) }).toEqual({
        id,
        get: allowed,
        list: allowed,
      });
    }
  });
});

async function versionOf(job_id: string) {
  const { version_id } = (await project.api.get(`/v1/jobs/${job_id}`)).body;
  return { job_id, job_version_id: version_id };
}
