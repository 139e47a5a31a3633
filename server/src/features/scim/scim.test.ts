import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { signInProvider, type TestProvider } from "../../../test/outside/sign-in-provider.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { endRevoked } from "../../platform/streams/event-stream.ts";

let world: World;
let okta: TestProvider;
let project: TestProject;
beforeAll(async () => {
  okta = await signInProvider("okta");
  const plain = await signInProvider("plain");
  const rules = [{ provider: "okta", group: "Operators", project: "will-be-set", role: "operator" }];
  const providers = [okta.settings, { ...plain.settings, scim_token: undefined }];
  world = await makeWorld({
    config: { trusted_proxies: ["127.0.0.1"], sign_in: { providers, rules, recheck_secs: 5 } },
  });
});
beforeEach(async () => {
  okta.reset();
  project = await world.project();
  for (const rule of world.ctx.config.sign_in.rules) rule.project = project.slug;
  for (const table of ["scim_group_members", "scim_groups", "scim_users", "sessions"])
    await runSql(world.connection, `delete from ${table}`);
});

async function scim(
  method: string,
  path: string,
  body?: object,
  { token = okta.settings.scim_token, to = "okta" } = {},
) {
  const response = await fetch(`${world.url}/scim/v2/${to}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/scim+json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, type: response.headers.get("content-type"), body: text ? JSON.parse(text) : null };
}

const ADA = { userName: "ada@example.com", externalId: "ada", name: { givenName: "Ada" }, active: true };
const create = async (fields: object = ADA) => (await scim("POST", "Users", fields)).body;
const group = async (ids: string[], displayName = "Operators") =>
  (await scim("POST", "Groups", { displayName, members: ids.map((value) => ({ value })) })).body;
const patch = (path: string, ...Operations: object[]) => scim("PATCH", path, { Operations });
const sessions = () => runSql(world.connection, "select subject from sessions where kind = 'member'");
const members = async () => (await project.api.get("/v1/members")).body.data;

let address = 0;

/** Signs in at the provider, and returns the status and the cookie of the session. */
async function signIn(claims: object = { sub: "ada" }) {
  okta.answers.claims = { ...claims };
  const redirect = "manual" as const;
  const from = { "x-forwarded-for": `192.0.2.${++address}` };
  const begun = await fetch(`${world.url}/v1/sign-in/okta`, { redirect, headers: from });
  const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const back = okta.approve(begun.headers.get("location") ?? "");
  const { status, headers } = await fetch(back, { redirect, headers: { ...from, cookie } });
  const session = headers.getSetCookie().find((each) => each.startsWith("millrace_session=")) ?? "";
  return { status, cookie: session.split(";")[0] ?? "" };
}

const personalKey = async (cookie: string): Promise<string> => {
  const headers = { cookie, "x-project-id": project.id };
  return (await world.anonymous.post("/v1/api-keys/personal", { name: "Laptop" }, { headers })).body.key;
};
const statusOf = async (key: string) => (await world.as(key).get("/v1/jobs")).status;

describe("POST /scim/v2/{provider}/{resource}", () => {
  it("A18 provisions a person once, and refuses a wrong token and a provider without one", async () => {
    const made = await scim("POST", "Users", ADA);
    expect([made.status, made.type]).toEqual([201, "application/scim+json; charset=utf-8"]);
    expect(made.body).toMatchObject({ ...ADA, meta: { resourceType: "User" } });
    expect(await scim("POST", "Users", { userName: "ADA@example.com" })).toMatchObject({
      ...{ status: 409, body: { code: "conflict" } },
    });
    expect((await scim("POST", "Users", { displayName: "Nobody" })).status).toBe(400);
    expect((await scim("POST", "Users", ADA, { token: "wrong" })).status).toBe(401);
    const junk = { method: "POST", headers: { "content-type": "application/scim+json" }, body: "{" };
    expect((await fetch(`${world.url}/scim/v2/okta/Users`, junk)).status, "before the body is parsed").toBe(401);
    for (const to of ["plain", "nobody"]) expect((await scim("POST", "Users", ADA, { to })).status).toBe(404);
  });
});

describe("GET /scim/v2/{provider}/{resource}", () => {
  it("A18 finds people and groups as Okta and Entra look for them", async () => {
    const { id } = await create();
    await create({ userName: "grace@example.com" });
    const found = async (path: string) =>
      (await scim("GET", path)).body.Resources.map((each: { id: string }) => each.id);
    for (const filter of ['userName eq "Ada@Example.com"', 'externalId eq "ada"', 'emails.value eq "ada@example.com"'])
      expect(await found(`Users?filter=${encodeURIComponent(filter)}`)).toEqual([id]);
    expect((await scim("GET", "Users?startIndex=2&count=1")).body).toMatchObject({
      ...{ totalResults: 2, startIndex: 2, itemsPerPage: 1 },
    });
    expect((await scim("GET", 'Users?filter=userName sw "a"')).status).toBe(400);
    const operators = await group([id]);
    expect(await found(`Groups?filter=${encodeURIComponent('displayName eq "operators"')}`)).toEqual([operators.id]);
    expect((await scim("GET", "ServiceProviderConfig")).body.patch).toEqual({ supported: true });
  });
});

describe("GET /scim/v2/{provider}/{resource}/{scimID}", () => {
  it("A18 returns what was sent, with groups; 404 for one that does not exist", async () => {
    const { id } = await create();
    await group([id]);
    expect((await scim("GET", `Users/${id}`)).body).toMatchObject({ ...ADA, groups: [{ display: "Operators" }] });
    expect((await scim("GET", "Users/0199d0c2-7a00-7000-8000-000000000001")).status).toBe(404);
    expect((await scim("GET", "Users/1")).status).toBe(404);
  });
});

describe("PUT /scim/v2/{provider}/{resource}/{scimID}", () => {
  it("A18 replaces all fields", async () => {
    const { id } = await create();
    const replaced = await scim("PUT", `Users/${id}`, { userName: "ada@example.org", active: true });
    expect(replaced.body).toMatchObject({ userName: "ada@example.org", name: {} });
    expect(replaced.body.externalId).toBeUndefined();
    const { id: groupId } = await group([id]);
    expect((await scim("PUT", `Groups/${groupId}`, { displayName: "Staff" })).body.members).toEqual([]);
  });
});

describe("PATCH /scim/v2/{provider}/{resource}/{scimID}", () => {
  it.each([
    ["Okta", { op: "replace", value: { active: false } }],
    ["Entra", { op: "Replace", path: "active", value: "False" }],
  ])("A18 a person whom %s deactivates is signed out, with open streams, and cannot sign in", async (_, operation) => {
    const { id } = await create();
    await group([id]);
    const { cookie, status } = await signIn();
    expect([status, (await members()).length]).toEqual([302, 1]);
    const run = await seedRun(world.connection, project.id);
    const stream = await readStream(world.url, `/v1/stream?topics=run:${run}&project_id=${project.id}`, { cookie });
    expect((await patch(`Users/${id}`, operation)).body.active).toBe(false);
    expect([await sessions(), await members()]).toEqual([[], []]);
    await world.clock.pass("6s");
    await endRevoked(world.ctx);
    await stream.ended();
    expect((await signIn()).status).toBe(403);
    await patch(`Users/${id}`, { op: "replace", value: { active: true } });
    expect((await signIn()).status).toBe(302);
  });

  it("A18 whoever is removed from a group is signed out, and the rules decide anew", async () => {
    const { id } = await create();
    const { id: groupId } = await group([]);
    expect((await signIn()).status).toBe(403);
    await patch(`Groups/${groupId}`, { op: "add", path: "members", value: [{ value: id }] });
    expect((await signIn()).status).toBe(302);
    expect(await members()).toMatchObject([{ role_name: "operator", by_rule: true }]);
    const key = await personalKey((await signIn()).cookie);
    await patch(`Groups/${groupId}`, { op: "remove", path: `members[value eq "${id}"]` });
    expect(await sessions()).toEqual([]);
    expect((await signIn()).status).toBe(403);
    expect([await members(), await statusOf(key)]).toEqual([[], 401]);
  });

  it("A20 whoever is deactivated loses personal keys, even if people assigned the role and no session is left", async () => {
    const { id } = await create({ userName: "ada@example.com" });
    await group([id]);
    const { cookie } = await signIn({ sub: "00u2", email: "Ada@example.com", email_verified: true });
    await project.api.post("/v1/members", { subject: "okta:00u2", role_id: "viewer" });
    const key = await personalKey(cookie);
    await runSql(world.connection, "delete from sessions");
    expect(await statusOf(key)).toBe(200);
    await patch(`Users/${id}`, { op: "replace", path: "active", value: false });
    expect(await statusOf(key)).toBe(401);
  });

  it("A18 finds a person by a verified address alone", async () => {
    const { id } = await create({ userName: "ada@example.com" });
    await group([id]);
    const claims = { sub: "00u1", email: "Ada@example.com" };
    expect((await signIn({ ...claims, email_verified: false })).status).toBe(403);
    expect((await signIn({ ...claims, email_verified: true })).status).toBe(302);
    await patch(`Users/${id}`, { op: "replace", path: "active", value: false });
    expect(await sessions()).toEqual([]);
  });
});

describe("DELETE /scim/v2/{provider}/{resource}/{scimID}", () => {
  it("A18 a deleted person is signed out; a deleted group signs its members out", async () => {
    const { id } = await create();
    const { id: groupId } = await group([id]);
    await signIn();
    expect((await scim("DELETE", `Groups/${groupId}`)).status).toBe(204);
    expect(await sessions()).toEqual([]);
    await group([id]);
    await signIn();
    expect((await scim("DELETE", `Users/${id}`)).status).toBe(204);
    expect([await sessions(), await members()]).toEqual([[], []]);
    expect((await scim("GET", `Users/${id}`)).status).toBe(404);
  });
});
