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
  const { status, headers } = response;
  const header = { type: headers.get("content-type"), location: headers.get("location") };
  return { status, ...header, body: text ? JSON.parse(text) : null };
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
    expect(made.location).toBe(`${world.url}/scim/v2/okta/Users/${made.body.id}`);
    expect([made.status, made.type]).toEqual([201, "application/scim+json; charset=utf-8"]);
    expect(made.body).toMatchObject({ ...ADA, meta: { resourceType: "User" } });
    expect(await scim("POST", "Users", { userName: "ADA@example.com" })).toMatchObject({
      status: 409,
      type: "application/scim+json",
      body: {
        status: "409",
        code: "conflict",
        scimType: "uniqueness",
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      },
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
    const work = {
      userName: "lin",
      emails: [{ value: "Lin@example.com", type: "work", primary: true }],
      active: false,
    };
    const lin = await create(work);
    expect(lin.emails).toEqual(work.emails);
    for (const filter of [
      'emails[type eq "work"].value eq "lin@example.com"',
      'emails[value eq "lin@example.com"]',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "lin"',
      'USERNAME EQ "lin" and active eq false',
    ])
      expect(await found(`Users?filter=${encodeURIComponent(filter)}`), filter).toEqual([lin.id]);
    expect(
      await found(`Users?filter=${encodeURIComponent('emails[type eq "home"].value eq "lin@example.com"')}`),
    ).toEqual([]);
    for (const filter of [
      'userName sw "a"',
      'userName eq "a" or active eq true',
      'userName eq "a',
      "junk",
      'x" or 1=1',
      'userName eq "a\\u0000"',
      'userName eq "\\ud800"',
    ])
      expect((await scim("GET", `Users?filter=${encodeURIComponent(filter)}`)).status, filter).toBe(400);
    await scim("DELETE", `Users/${lin.id}`);
    const operators = await group([id]);
    expect(await found(`Groups?filter=${encodeURIComponent('displayName eq "operators"')}`)).toEqual([operators.id]);
    const inGroup = encodeURIComponent(`id eq "${operators.id}" and members eq "${id}"`);
    const [listed] = (await scim("GET", `Groups?filter=${inGroup}&excludedAttributes=members`)).body.Resources;
    expect([listed.id, listed.members]).toEqual([operators.id, undefined]);
    expect((await scim("GET", "ResourceTypes")).body.Resources.map(({ id }: { id: string }) => id)).toEqual([
      "User",
      "Group",
    ]);
    expect((await scim("GET", "Schemas/urn:ietf:params:scim:schemas:core:2.0:User")).body.name).toBe("User");
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
    ["Entra, in its older form", { op: "Replace", path: "active", value: [{ value: "False" }] }],
    [
      "a provider that names the schema",
      { op: "replace", path: "urn:ietf:params:scim:schemas:core:2.0:User:active", value: false },
    ],
    ["a provider that writes names otherwise", { op: "replace", value: { Active: false } }],
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

  it("A18 refuses a value of active that it does not understand", async () => {
    const { id } = await create();
    for (const value of ["no", 0, {}, []])
      expect((await patch(`Users/${id}`, { op: "replace", path: "active", value })).status).toBe(400);
  });

  it("A18 changes names and addresses as Entra and RFC 7644 write it", async () => {
    const { id } = await create({ userName: "ada", emails: [{ value: "ada@home.example", type: "home" }] });
    const { body } = await patch(
      `Users/${id}`,
      { op: "Add", path: 'emails[type eq "work"].value', value: "ada@example.com" },
      { op: "Replace", value: { "name.familyName": "Lovelace", displayName: "Ada" } },
      { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "X" },
      { op: "remove", path: 'emails[type eq "home"]' },
      { op: "add", path: "emails", value: [{ value: "a@example.org", primary: true }] },
    );
    expect(body).toMatchObject({ name: { familyName: "Lovelace" }, displayName: "Ada" });
    expect(body.emails).toEqual([
      { value: "ada@example.com", type: "work", primary: false },
      { value: "a@example.org", primary: true },
    ]);
  });

  it.each([
    ["Entra", (id: string) => ({ op: "Remove", path: "members", value: [{ value: id }] })],
    ["ids alone", (id: string) => ({ op: "remove", path: "Members", value: id })],
  ])("A20 who leaves a group loses its role at once, also with a personal key: %s", async (_, operation) => {
    const { id } = await create();
    const { id: groupId } = await group([id]);
    const key = await personalKey((await signIn()).cookie);
    expect(await statusOf(key)).toBe(200);
    const lunch = await group([id], "Lunch");
    await patch(`Groups/${lunch.id}`, operation(id));
    expect([await statusOf(key), (await sessions()).length]).toEqual([200, 1]);
    await patch(`Groups/${groupId}`, operation(id));
    expect([await statusOf(key), await members(), await sessions()]).toEqual([401, [], []]);
    const [event] = (await project.api.get("/v1/audit-events?action=member.signed_out")).body.data;
    expect(event.after.reason).toContain("left the group Operators");
  });

  it("A18 a person removed from a group is signed out, and the rules apply again at sign-in", async () => {
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

  it("A20 a deactivated person loses personal keys, even with a role assigned by people and no open session", async () => {
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

  it("A18 a deleted person cannot sign in, whoever made them a member, until they are provisioned again", async () => {
    const { id } = await create();
    await project.api.post("/v1/members", { subject: "okta:ada", role_id: "viewer" });
    expect((await signIn()).status).toBe(302);
    await scim("DELETE", `Users/${id}`);
    expect((await signIn()).status).toBe(403);
    expect((await scim("GET", "Users")).body.totalResults).toBe(0);
    const again = await create();
    expect([again.userName, again.id === id]).toEqual([ADA.userName, false]);
    expect((await signIn()).status).toBe(302);
  });
});
