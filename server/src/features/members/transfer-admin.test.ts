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

const ADMIN = { role_id: "admin" };
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code];
const roles = async () => {
  const { data } = (await project.api.get("/v1/members?order=asc")).body;
  return data.map(({ role_name }: { role_name: string }) => role_name);
};
const audits = async () =>
  (await project.api.get("/v1/audit-events?action=member.*&order=asc")).body.data.map(
    ({ action }: { action: string }) => action,
  );

describe("the last administrator", () => {
  it("A19 cannot leave, be removed or get another role; the operator may do it", async () => {
    const ada = await signedIn(world, project, ADMIN);
    await signedIn(world, project);
    const lower = { subject: ada.subject, role_id: "viewer" };
    expect(outcome(await ada.post("/v1/members/leave"))).toEqual([409, "last_admin"]);
    expect(outcome(await project.api.delete(`/v1/members/${ada.member_id}`))).toEqual([409, "last_admin"]);
    expect(outcome(await project.api.post("/v1/members", lower))).toEqual([409, "last_admin"]);
    const { results } = (await project.api.post("/v1/members/bulk", { members: [lower] })).body;
    expect(results).toMatchObject([{ status: "failed" }]);
    expect(await roles()).toEqual(["admin", "operator"]);
    const { status } = await world.admin.delete(`/v1/members/${ada.member_id}?project_id=${project.id}`);
    expect(status).toBe(204);
  });

  it("A19 is found also when two leave at once", async () => {
    const [ada, grace] = [await signedIn(world, project, ADMIN), await signedIn(world, project, ADMIN)];
    const left = await Promise.all([ada, grace].map((person) => person.post("/v1/members/leave")));
    expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(await roles()).toEqual(["admin"]);
  });
});

describe("POST /v1/members/transfer", () => {
  it("A19 makes another member the administrator in place of the caller, who may then leave", async () => {
    const [ada, grace] = [await signedIn(world, project, ADMIN), await signedIn(world, project)];
    const transfer = await ada.post("/v1/members/transfer", { member_id: grace.member_id, role_id: "viewer" });
    expect(transfer.body).toMatchObject({ id: grace.member_id, role_name: "admin" });
    expect(await roles()).toEqual(["viewer", "admin"]);
    expect((await ada.get("/v1/members")).status).toBe(200);
    expect(outcome(await ada.post("/v1/members/transfer", { member_id: grace.member_id }))).toEqual([
      403,
      "scope_missing",
    ]);
    expect((await ada.post("/v1/members/leave")).status).toBe(204);
    expect((await audits()).slice(2)).toEqual([
      ...["member.updated", "member.updated", "member.admin_transferred", "member.left"],
    ]);
  });

  it("A19 changes nothing if a part of it is refused", async () => {
    const [ada, grace] = [await signedIn(world, project, ADMIN), await signedIn(world, project)];
    const refused = async (body: object) => (await ada.post("/v1/members/transfer", body)).body.errors?.[0].location;
    expect(await refused({ member_id: grace.member_id, role_id: "no-such-role" })).toBe("body.role_id");
    expect(await refused({ member_id: grace.member_id, role_id: "admin" })).toBe("body.role_id");
    expect(await refused({ member_id: ada.member_id })).toBe("body.member_id");
    const elsewhere = await signedIn(world, await world.project());
    expect(await refused({ member_id: elsewhere.member_id })).toBe("body.member_id");
    expect(await roles()).toEqual(["admin", "operator"]);
  });

  it("A19 is only for people with the admin role", async () => {
    const all = await project.api.post("/v1/roles", { name: "Everything", permissions: ["*"] });
    const [ada, grace] = [await signedIn(world, project, { role_id: all.body.id }), await signedIn(world, project)];
    const body = { member_id: grace.member_id };
    expect(outcome(await ada.post("/v1/members/transfer", body))).toEqual([403, "forbidden"]);
    expect(outcome(await project.api.post("/v1/members/transfer", body))).toEqual([403, "forbidden"]);
    expect(await roles()).toEqual(["Everything", "operator"]);
  });
});
