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

const create = (fields: Record<string, unknown>, api = project.api) =>
  api.post("/v1/roles", { name: "Role", ...fields });
const named = async (name: string) => (await project.api.get(`/v1/roles/${name}`)).body;

describe("POST /v1/roles", () => {
  it("A6 creates a role that inherits from another", async () => {
    const base = (await create({ name: "Base", permissions: ["runs:read"] })).body;
    const response = await create({ name: "Lead", permissions: ["runs:write"], parent_role_id: base.id });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({
      ...{ name: "Lead", permissions: ["runs:write"], parent_role_id: base.id, is_system: false, lineage: null },
    });
    const [event] = (await project.api.get("/v1/audit-events?action=role.created")).body.data;
    expect(event).toMatchObject({ resource_id: response.body.id, after: { name: "Lead" } });
  });

  it("accepts the name of a parent, including built-in roles", async () => {
    const viewer = await named("viewer");
    expect((await create({ parent_role_id: "viewer" })).body.parent_role_id).toBe(viewer.id);
  });

  it.each([
    [{ permissions: ["everything"] }, 422],
    [{ parent_role_id: "nobody" }, 422],
    [{ name: "admin" }, 409],
    [{ name: " " }, 422],
  ])("rejects %j", async (fields, status) => {
    expect((await create(fields)).status).toBe(status);
  });

  it("rejects a taken name", async () => {
    await create({ name: "Once" });
    expect((await create({ name: "Once" })).status).toBe(409);
  });

  it("A6 rejects a chain of more than ten roles", async () => {
    let parent: string | null = null;
    for (let depth = 1; depth <= 10; depth++) {
      const response = await create({ name: `Level ${depth}`, parent_role_id: parent });
      expect(response.status).toBe(201);
      parent = response.body.id;
    }
    const response = await create({ name: "Level 11", parent_role_id: parent });
    expect([response.status, response.body.errors[0].location]).toEqual([422, "body.parent_role_id"]);
  });

  it("A6 rejects granting what the caller does not hold, directly or through a parent", async () => {
    const key = await project.newKey({ scopes: ["access:write", "access:read", "runs:read"] });
    expect((await create({ permissions: ["runs:read"] }, key.api)).status).toBe(201);
    for (const fields of [{ permissions: ["jobs:write"] }, { permissions: ["*"] }, { parent_role_id: "operator" }]) {
      const response = await create({ name: JSON.stringify(fields), ...fields }, key.api);
      expect([response.status, response.body.code]).toEqual([403, "grant_too_wide"]);
    }
  });
});

describe("GET /v1/roles", () => {
  it("A6 lists the four built-in roles and the project's own", async () => {
    await create({ name: "Own" });
    const names = (await project.api.get("/v1/roles")).body.data.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(["Own", "admin", "operator", "triggerer", "viewer"]);
  });
});

describe("GET /v1/roles/{roleID}", () => {
  it("A6 shows the lineage on request, and the path that grants each permission", async () => {
    const base = (await create({ name: "Base", permissions: ["jobs:write"], parent_role_id: "triggerer" })).body;
    const lead = (await create({ name: "Lead", permissions: ["runs:write"], parent_role_id: base.id })).body;
    const { body } = await project.api.get(`/v1/roles/${lead.id}?include_lineage=true`);
    expect(body.lineage.map(({ name }: { name: string }) => name)).toEqual(["Lead", "Base", "triggerer"]);
    const grants = Object.fromEntries(
      body.effective_permissions.map(({ permission, path }: { permission: string; path: string[] }) => [
        permission,
        path,
      ]),
    );
    expect(grants).toMatchObject({
      "runs:write": ["Lead"],
      "jobs:write": ["Lead", "Base"],
      "jobs:trigger": ["Lead", "Base", "triggerer"],
    });
    expect((await project.api.get(`/v1/roles/${lead.id}`)).body.lineage).toBeNull();
  });

  it("A2 404 for one of another project", async () => {
    const { body } = await create({});
    const other = await world.project();
    expect((await other.api.get(`/v1/roles/${body.id}`)).status).toBe(404);
  });

  it("A6 gives the built-in roles the permissions their names imply", async () => {
    const permissions = async (name: string) => (await named(name)).permissions as string[];
    expect(await permissions("admin")).toEqual(["*"]);
    expect((await permissions("viewer")).every((scope) => scope.endsWith(":read"))).toBe(true);
    expect(await permissions("operator")).not.toContain("access:write");
    expect(await permissions("triggerer")).toContain("jobs:trigger");
  });
});

describe("PATCH /v1/roles/{roleID}", () => {
  it("A6 rejects a cycle and names it", async () => {
    const a = (await create({ name: "A" })).body;
    const b = (await create({ name: "B", parent_role_id: a.id })).body;
    const c = (await create({ name: "C", parent_role_id: b.id })).body;
    const response = await project.api.patch(`/v1/roles/${a.id}`, { parent_role_id: c.id });
    expect(response.status).toBe(422);
    expect(response.body.errors[0].message).toContain("A → C → B → A");
    expect((await project.api.patch(`/v1/roles/${a.id}`, { parent_role_id: a.id })).status).toBe(422);
  });

  it("does not close a cycle in two concurrent changes", async () => {
    const [a, b] = [(await create({ name: "A" })).body, (await create({ name: "B" })).body];
    const responses = await Promise.all([
      project.api.patch(`/v1/roles/${a.id}`, { parent_role_id: b.id }),
      project.api.patch(`/v1/roles/${b.id}`, { parent_role_id: a.id }),
    ]);
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 422]);
  });

  it("A6 counts descendants too: none gets deeper than ten", async () => {
    const roles: { id: string }[] = [];
    for (let depth = 0; depth < 9; depth++)
      roles.push((await create({ name: `L${depth}`, parent_role_id: roles.at(-1)?.id ?? null })).body);
    const first = roles[0] ?? { id: "" };
    expect((await project.api.patch(`/v1/roles/${first.id}`, { parent_role_id: "viewer" })).status).toBe(200);
    const top = (await create({ name: "Top", parent_role_id: "viewer" })).body;
    expect((await project.api.patch(`/v1/roles/${first.id}`, { parent_role_id: top.id })).status).toBe(422);
  });

  it("rejects changing built-in roles, and accepts the GET response", async () => {
    expect((await project.api.patch("/v1/roles/admin", { name: "x" })).status).toBe(409);
    const { body } = await create({ permissions: ["runs:read"] });
    const got = (await project.api.get(`/v1/roles/${body.id}`)).body;
    const response = await project.api.patch(`/v1/roles/${body.id}`, { ...got, description: "better" });
    expect([response.status, response.body.description]).toEqual([200, "better"]);
  });

  it("A6 rejects widening a role beyond the caller's permissions", async () => {
    const { body } = await create({ permissions: ["runs:read"] });
    const key = await project.newKey({ scopes: ["access:write", "access:read", "runs:read"] });
    expect((await key.api.patch(`/v1/roles/${body.id}`, { permissions: ["runs:write"] })).status).toBe(403);
  });
});

describe("DELETE /v1/roles/{roleID}", () => {
  it("deletes one that is not in use, and otherwise counts the members and roles that use it", async () => {
    const [a, b] = [(await create({ name: "A" })).body, (await create({ name: "B", parent_role_id: "A" })).body];
    await project.api.post("/v1/members", { subject: "ada", role_id: b.id });
    expect((await project.api.delete(`/v1/roles/${a.id}`)).body.detail).toContain("1 roles");
    expect((await project.api.delete(`/v1/roles/${b.id}`)).body.detail).toContain("1 members");
    expect((await project.api.delete("/v1/roles/viewer")).status).toBe(409);
    const free = (await create({ name: "Free" })).body;
    expect((await project.api.delete(`/v1/roles/${free.id}`)).status).toBe(204);
  });
});
