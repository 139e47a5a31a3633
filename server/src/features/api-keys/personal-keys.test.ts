import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signedIn } from "../../../test/seed/signed-in.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
});

type Person = Awaited<ReturnType<typeof signedIn>>;
const newKey = async (person: Person, fields: object = {}) => {
  const { status, body } = await person.post("/v1/api-keys/personal", { name: "Laptop", ...fields });
  expect(status).toBe(201);
  return { id: body.id as string, subject: body.subject, api: world.as(body.key), key: body.key as string };
};
const assign = (person: Person, role_id: string) =>
  project.api.post("/v1/members", { subject: person.subject, role_id });
const statusOf = async ({ api }: { api: ReturnType<World["as"]> }) => (await api.get("/v1/jobs")).status;
const audits = async (action: string) => (await project.api.get(`/v1/audit-events?action=${action}`)).body.data;

describe("POST /v1/api-keys/personal", () => {
  it("A20 creates a key that acts as the person, with their current role", async () => {
    const ada = await signedIn(world, project, { role_id: "viewer" });
    const laptop = await newKey(ada);
    const job = { name: "Job", endpoint_url: "http://127.0.0.1:1025/" };
    expect((await laptop.api.get("/v1/me")).body).toMatchObject({
      ...{ kind: "member", subject: ada.subject, key_id: laptop.id, memberships: [{ project_id: project.id }] },
    });
    expect([await statusOf(laptop), (await laptop.api.post("/v1/jobs", job)).status]).toEqual([200, 403]);
    await assign(ada, "operator");
    expect((await laptop.api.post("/v1/jobs", job)).status).toBe(201);
    expect(await audits("job.created")).toMatchObject([{ actor_kind: "member", actor_id: ada.subject }]);
    expect(await audits("api_key.created")).toMatchObject([{ actor_id: ada.subject, resource_id: laptop.id }]);
  });

  it("A20 has no more than the scopes it was given, in its project alone", async () => {
    const other = await world.project();
    const ada = await signedIn(world, project, { role_id: "admin" });
    await signedIn(world, other, { subject: ada.subject, role_id: "admin" });
    const narrow = await newKey(ada, { scopes: ["runs:read"] });
    expect([(await narrow.api.get("/v1/runs")).status, await statusOf(narrow)]).toEqual([200, 403]);
    const away = await narrow.api.get(`/v1/runs?project_id=${other.id}`);
    expect([away.status, away.body.code]).toEqual([403, "project_mismatch"]);
    const { memberships } = (await narrow.api.get("/v1/me")).body;
    expect(memberships).toMatchObject([{ project_id: project.id, permissions: ["runs:read"] }]);
    expect((await narrow.api.get("/v1/projects")).body.data).toHaveLength(1);
  });

  it("A20 a key, or a session opened with it, cannot manage its owner's keys or sessions, or leave the project", async () => {
    const ada = await signedIn(world, project, { role_id: "admin" });
    const laptop = await newKey(ada);
    const cookie = (await world.anonymous.post("/v1/session", { api_key: laptop.key })).headers.get("set-cookie");
    const headers = { cookie: cookie?.split(";")[0] ?? "" };
    const refused = await Promise.all([
      laptop.api.post("/v1/api-keys/personal", { name: "Another" }),
      laptop.api.post("/v1/members/leave"),
      world.anonymous.post("/v1/api-keys/personal", { name: "Another" }, { headers }),
      project.api.post("/v1/api-keys/personal", { name: "Of nobody" }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const own = await world.anonymous.get("/v1/account/sessions", { headers });
    expect([(await laptop.api.get("/v1/api-keys/personal")).body.data, own.body.sessions]).toEqual([[], []]);
    expect((await ada.get("/v1/account/sessions")).body.sessions).toHaveLength(1);
  });

  it("A20 ends with the membership, also if the person comes back", async () => {
    const ada = await signedIn(world, project, { role_id: "viewer" });
    const laptop = await newKey(ada);
    await ada.post("/v1/members/leave");
    await assign(ada, "viewer");
    expect(await statusOf(laptop)).toBe(401);
    expect(await audits("api_key.revoked")).toMatchObject([{ actor_kind: "service", resource_id: laptop.id }]);
    const again = await newKey(await signedIn(world, project, ada));
    const [member] = (await project.api.get(`/v1/members?subject=${ada.subject}`)).body.data;
    await project.api.delete(`/v1/members/${member.id}`);
    expect(await statusOf(again)).toBe(401);
  });
});

describe("GET /v1/api-keys/personal", () => {
  it("A20 lists the caller's own; administrators see and revoke those of a member, but cannot learn a secret", async () => {
    const [ada, grace] = [await signedIn(world, project), await signedIn(world, project)];
    const [laptop] = [await newKey(ada), await newKey(grace)];
    const ids = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
    expect(ids(await ada.get("/v1/api-keys/personal"))).toEqual([laptop.id]);
    expect(ids(await project.api.get(`/v1/api-keys?subject=${ada.subject}`))).toEqual([laptop.id]);
    expect((await project.api.post(`/v1/api-keys/${laptop.id}/rotate`, {})).body.code).toBe("grant_too_wide");
    expect((await project.api.delete(`/v1/api-keys/${laptop.id}`)).status).toBe(204);
    expect(await statusOf(laptop)).toBe(401);
    expect(await audits("api_key.revoked")).toMatchObject([{ actor_kind: "api_key", resource_id: laptop.id }]);
  });
});

describe("DELETE /v1/api-keys/personal/{keyID}", () => {
  it("A20 revokes one's own, not those of others or of the project", async () => {
    const [ada, grace] = [await signedIn(world, project), await signedIn(world, project)];
    const laptop = await newKey(ada);
    const { id } = await project.newKey();
    const revoke = async (person: Person, key: string) => (await person.delete(`/v1/api-keys/personal/${key}`)).status;
    expect([await revoke(grace, laptop.id), await revoke(ada, id)]).toEqual([404, 404]);
    expect(await revoke(ada, laptop.id)).toBe(204);
    expect(await statusOf(laptop)).toBe(401);
    expect(await audits("api_key.revoked")).toMatchObject([{ actor_kind: "member", actor_id: ada.subject }]);
  });
});
