import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { signedIn } from "../../../test/seed/signed-in.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { endRevoked } from "../../platform/streams/event-stream.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  project = await world.project();
});

type Person = Awaited<ReturnType<typeof signedIn>>;
const audits = async () => (await project.api.get("/v1/audit-events?action=member.session_ended")).body.data;
const own = async (person: Person) => (await person.get("/v1/account/sessions")).body.sessions;
const isOpen = async (person: Person) => (await person.get("/v1/me")).status === 200;

describe("DELETE /v1/members/{memberID}/sessions/{sessionID}", () => {
  it("A17 ends one session of a member with its streams, and no other", async () => {
    const laptop = await signedIn(world, project);
    const phone = await signedIn(world, project, laptop);
    const run = await seedRun(world.connection, project.id);
    const listen = ({ cookie }: Person) =>
      readStream(world.url, `/v1/stream?topics=run:${run}&project_id=${project.id}`, { cookie });
    const [lost, kept] = [await listen(phone), await listen(laptop)];
    const [session] = (await own(phone)).filter(({ is_current }: { is_current: boolean }) => is_current);
    const path = `/v1/members/${laptop.member_id}/sessions/${session.id}`;
    expect((await project.api.delete(path)).status).toBe(204);
    await endRevoked(world.ctx); // the service checks every 7.5 seconds
    await lost.ended();
    expect([await isOpen(phone), await isOpen(laptop), kept.hasEnded()]).toEqual([false, true, false]);
    expect((await project.api.delete(path)).status).toBe(404);
    expect(await audits()).toMatchObject([
      { actor_kind: "api_key", after: { subject: laptop.subject, session: { id: session.id, ip: "192.0.2.1" } } },
    ]);
  });

  it("A17 refuses those of a person who never used the project", async () => {
    const ada = await signedIn(world, await world.project());
    const { body } = await project.api.post("/v1/members", { subject: ada.subject, role_id: "viewer" });
    const [session] = await own(ada);
    expect((await project.api.delete(`/v1/members/${body.id}/sessions/${session.id}`)).status).toBe(404);
    expect(await isOpen(ada)).toBe(true);
  });

  it("A17 refuses sessions of other people, and of those with more permissions", async () => {
    const [ada, boss] = [await signedIn(world, project), await signedIn(world, project, { role_id: "admin" })];
    const [session] = await own(boss);
    expect((await project.api.delete(`/v1/members/${ada.member_id}/sessions/${session.id}`)).status).toBe(404);
    const { api } = await project.newKey({ scopes: ["access:write"] });
    expect((await api.delete(`/v1/members/${boss.member_id}/sessions/${session.id}`)).status).toBe(403);
    expect(await isOpen(boss)).toBe(true);
  });
});

describe("GET /v1/account/sessions", () => {
  describe("DELETE /v1/account/sessions/{sessionID}", () => {
    it("A17 a person lists and ends their own sessions, in every project's audit log", async () => {
      const laptop = await signedIn(world, project);
      const phone = await signedIn(world, project, laptop);
      const other = await signedIn(world, project);
      const sessions = await own(laptop);
      expect(sessions.map(({ is_current }: { is_current: boolean }) => is_current)).toEqual([false, true]);
      const [foreign] = await own(other);
      expect((await laptop.delete(`/v1/account/sessions/${foreign.id}`)).status).toBe(404);
      expect((await laptop.delete(`/v1/account/sessions/${sessions[0].id}`)).status).toBe(204);
      expect([await isOpen(phone), await isOpen(laptop), await isOpen(other)]).toEqual([false, true, true]);
      expect(await audits()).toMatchObject([{ actor_kind: "member", actor_id: laptop.subject }]);
      expect((await project.api.get("/v1/account/sessions")).body.sessions).toEqual([]);
    });
  });
});
