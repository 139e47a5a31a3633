import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
});

const assign = (fields: Record<string, unknown>, api = project.api) =>
  api.post("/v1/members", { subject: "ada", role_id: "viewer", ...fields });
const audits = async () =>
  (await project.api.get("/v1/audit-events?action=member.*&order=asc")).body.data.map(
    ({ action }: { action: string }) => action,
  );

describe("POST /v1/members", () => {
  it("A8 adds a member, changes the role of an existing one, and is idempotent", async () => {
    const made = await assign({ name: "Ada" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ subject: "ada", name: "Ada", role_name: "viewer", project_id: project.id });
    const changed = await assign({ role_id: "operator" });
    expect([changed.status, changed.body.id, changed.body.role_name]).toEqual([200, made.body.id, "operator"]);
    expect(changed.body.name).toBe("Ada");
    expect((await assign({ role_id: "operator" })).status).toBe(200);
    expect(await audits()).toEqual(["member.created", "member.updated"]);
  });

  it.each([
    [{ role_id: "nobody" }, "body.role_id"],
    [{ subject: "" }, "body.subject"],
    [{ subject: "line\nbreak" }, "body.subject"],
  ])("rejects %j", async (fields, location) => {
    const response = await assign(fields);
    expect([response.status, response.body.errors[0].location]).toEqual([422, location]);
  });

  it("A6 rejects granting or removing a role with more permissions than the caller's", async () => {
    await assign({ subject: "boss", role_id: "admin" });
    const key = await project.newKey({ scopes: [...new Set(["access:write", ...(await viewerScopes())])] });
    expect((await assign({}, key.api)).status).toBe(201);
    expect((await assign({ role_id: "admin" }, key.api)).status).toBe(403);
    expect((await assign({ subject: "boss", role_id: "viewer" }, key.api)).status).toBe(403);
  });
});

describe("POST /v1/members/bulk", () => {
  it("A8 assigns many, with a result for each: an error in one does not affect the others", async () => {
    await assign({ subject: "known", role_id: "viewer" });
    const response = await project.api.post("/v1/members/bulk", {
      members: [
        { subject: "new", role_id: "viewer" },
        { subject: "known", role_id: "operator" },
        { subject: "other", role_id: "no-such-role" },
        { subject: "", role_id: "viewer" },
        { subject: "new", role_id: "viewer" },
      ],
    });
    expect(response.status).toBe(200);
    const { results } = response.body;
    expect(results.map(({ status }: { status: string }) => status)).toEqual([
      ...["created", "updated", "failed", "failed", "unchanged"],
    ]);
    expect(results[2]).toMatchObject({ index: 2, subject: "other", member_id: null });
    expect(results[2].error).toBe("body.members[2].role_id: is not a role of this project");
    expect(results[3].error).toMatch(/^body\.members\[3\]\.subject: /);
    expect((await project.api.get("/v1/members")).body.data).toHaveLength(2);
  });

  it("A8 accepts one to a hundred", async () => {
    const members = Array.from({ length: 101 }, (_, n) => ({ subject: `s${n}`, role_id: "viewer" }));
    expect((await project.api.post("/v1/members/bulk", { members })).status).toBe(422);
    expect((await project.api.post("/v1/members/bulk", { members: [] })).status).toBe(422);
    const response = await project.api.post("/v1/members/bulk", { members: members.slice(0, 100) });
    expect(response.body.results.every(({ status }: { status: string }) => status === "created")).toBe(true);
  });
});

describe("POST /v1/members/bulk by a caller with fewer permissions", () => {
  it("A8 names the member whose role is too wide", async () => {
    const key = await project.newKey({ scopes: ["access:read", "access:write", "runs:read"] });
    const members = [{ subject: "wide", role_id: "admin" }];
    const { body } = await key.api.post("/v1/members/bulk", { members });
    expect(body.results[0].error).toMatch(/^body\.members\[0\]: The caller does not hold /);
  });
});

describe("GET /v1/members", () => {
  it("lists them, by role and by subject", async () => {
    await assign({ subject: "a", role_id: "viewer" });
    await assign({ subject: "b", role_id: "admin" });
    const subjects = async (query: string) =>
      (await project.api.get(`/v1/members${query}`)).body.data.map(({ subject }: { subject: string }) => subject);
    expect((await subjects("")).toSorted()).toEqual(["a", "b"]);
    expect(await subjects("?role_id=admin")).toEqual(["b"]);
    expect(await subjects("?subject=a")).toEqual(["a"]);
  });
});

describe("GET /v1/members/{memberID}", () => {
  it("returns one, and 404 for one of another project", async () => {
    const { body } = await assign({});
    expect((await project.api.get(`/v1/members/${body.id}`)).body).toEqual(body);
    expect((await (await world.project()).api.get(`/v1/members/${body.id}`)).status).toBe(404);
  });
});

describe("DELETE /v1/members/{memberID}", () => {
  it("removes one, unless it has more permissions than the caller", async () => {
    const { body } = await assign({ role_id: "admin" });
    await assign({ subject: "grace", role_id: "admin" });
    const key = await project.newKey({ scopes: ["access:write"] });
    expect((await key.api.delete(`/v1/members/${body.id}`)).status).toBe(403);
    expect((await project.api.delete(`/v1/members/${body.id}`)).status).toBe(204);
    expect((await project.api.delete(`/v1/members/${body.id}`)).status).toBe(404);
    expect(await audits()).toEqual(["member.created", "member.created", "member.deleted"]);
  });
});

async function viewerScopes(): Promise<string[]> {
  return (await project.api.get("/v1/roles/viewer")).body.permissions;
}
