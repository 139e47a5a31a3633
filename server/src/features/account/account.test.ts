import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { holdGate, whenBlocked } from "../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { fromBase32, totpAt } from "../../platform/access/accounts/totp.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld({ config: { trusted_proxies: ["127.0.0.1"] } });
});
beforeEach(async () => {
  project = await world.project();
});

const PASSWORD = "correct horse battery";
let address = 0;
const from = (ip = `192.0.2.${++address}`) => ({ headers: { "x-forwarded-for": ip } });
const withCookie = (cookie: string) => ({ headers: { cookie, "x-project-id": project.id } });
const cookieOf = ({ headers }: { headers: Headers }) => headers.get("set-cookie")?.split(";")[0] ?? "";
const signIn = (body: object, ip?: string) => world.anonymous.post("/v1/session", body, from(ip));
const accept = (token: string, body: object = {}) =>
  world.anonymous.post("/v1/members/invitations/accept", { token, password: PASSWORD, ...body }, from());

let people = 0;
async function invite(role_id = "operator", email = `person${++people}@example.com`) {
  const { status, body } = await project.api.post("/v1/members/invitations", { email, role_id });
  expect(status).toBe(201);
  return { email, id: body.id as string, token: String(body.url).split("#")[1] ?? "" };
}
async function person() {
  const { email, token } = await invite();
  const joined = await accept(token, { name: "Ada" });
  return { email, cookie: cookieOf(joined), joined };
}
const audits = async (action: string) => (await project.api.get(`/v1/audit-events?action=${action}`)).body.data;

describe("POST /v1/members/invitations", () => {
  it("A16 returns a link once, stores its hash, and refuses a wider role", async () => {
    const { token } = await invite();
    const [listed] = (await project.api.get("/v1/members/invitations")).body.data;
    expect(listed).toMatchObject({ role_id: expect.any(String), url: null });
    expect(JSON.stringify(await runSql(world.connection, "select * from invitations"))).not.toContain(
      token.split(".")[1],
    );
    const key = await project.newKey({ scopes: ["access:write"] });
    const wide = await key.api.post("/v1/members/invitations", { email: "a@b.c", role_id: "admin" });
    expect([wide.status, wide.body.code]).toEqual([403, "grant_too_wide"]);
  });
});

describe("GET /v1/members/invitations", () => {
  it("lists open invitations only", async () => {
    await invite();
    await runSql(world.connection, "update invitations set expires_at = clock() where project_id = $1", [project.id]);
    expect((await project.api.get("/v1/members/invitations")).body.data).toEqual([]);
  });
});

describe("DELETE /v1/members/invitations/{invitationID}", () => {
  it("withdraws the link", async () => {
    const { id, token } = await invite();
    expect((await project.api.delete(`/v1/members/invitations/${id}`)).status).toBe(204);
    expect((await accept(token)).status).toBe(404);
  });
});

describe("POST /v1/members/invitations/accept", () => {
  it("A16 creates the account and the membership, and signs in; the link works once, also at once", async () => {
    const { token } = await invite();
    const responses = await Promise.all([accept(token), accept(token), accept(token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
    const joined = responses.find(({ status }) => status === 201);
    const me = await world.anonymous.get("/v1/me", withCookie(joined ? cookieOf(joined) : ""));
    expect(me.body.memberships).toMatchObject([{ project_id: project.id, role_name: "operator" }]);
    expect(await audits("member.invitation_accepted")).toHaveLength(1);
  });

  it("A16 refuses expired and made-up links, and short passwords", async () => {
    const { token } = await invite();
    expect((await accept(token, { password: "short" })).status).toBe(422);
    for (const other of ["x", `${project.id}.x`, `${token}x`]) expect((await accept(other)).status).toBe(404);
    await world.clock.pass("73h");
    expect((await accept(token)).status).toBe(404);
  });

  it("A16 needs the password of an account that exists", async () => {
    const { email } = await person();
    const { token } = await invite("viewer", email);
    expect((await accept(token, { password: "another password" })).status).toBe(401);
    expect((await accept(token)).status).toBe(201);
  });
});

describe("POST /v1/session with a password", () => {
  it("A15 signs in with the right password, whatever the case of the address", async () => {
    const { email } = await person();
    const session = await signIn({ email: email.toUpperCase(), password: PASSWORD });
    expect([session.status, session.body.kind]).toEqual([201, "member"]);
    const known = await signIn({ email, password: "wrong password" });
    const unknown = await signIn({ email: "nobody@example.com", password: "wrong password" });
    expect([known.status, unknown.status, known.body.detail]).toEqual([401, 401, unknown.body.detail]);
    expect((await signIn({ email })).status).toBe(422);
    expect((await signIn({ password: PASSWORD })).status).toBe(422);
  });

  it("A15 slows down guesses per account and address: one address does not lock out another", async () => {
    const { email } = await person();
    const guess = () => signIn({ email, password: "wrong password" }, "198.51.100.1");
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await signIn({ email, password: PASSWORD })).status).toBe(201);
    const { rows } = { rows: await runSql<{ client: string }>(world.connection, "select client from ip_counters") };
    expect(rows.some(({ client }) => client.includes(email))).toBe(false);
  });
});

describe("GET /v1/account", () => {
  it("returns the caller's account; 404 for others", async () => {
    const { email, cookie } = await person();
    const { body } = await world.anonymous.get("/v1/account", withCookie(cookie));
    expect(body).toMatchObject({ email, name: "Ada", totp_enabled: false });
    expect((await project.api.get("/v1/account")).status).toBe(404);
  });
});

describe("POST /v1/account/password", () => {
  it("A15 changes it, ends the other sessions, and is audited", async () => {
    const { email, cookie } = await person();
    const other = cookieOf(await signIn({ email, password: PASSWORD }));
    const change = (password: string) =>
      world.anonymous.post("/v1/account/password", { password, new_password: "another password" }, withCookie(cookie));
    expect((await change("wrong password")).status).toBe(401);
    expect((await change(PASSWORD)).status).toBe(204);
    const status = async (of: string) => (await world.anonymous.get("/v1/me", withCookie(of))).status;
    expect([await status(cookie), await status(other)]).toEqual([200, 401]);
    expect((await signIn({ email, password: PASSWORD })).status).toBe(401);
    expect((await signIn({ email, password: "another password" })).status).toBe(201);
    expect(await audits("member.password_changed")).toHaveLength(1);
  });
});

describe("POST /v1/account/reset-link", () => {
  describe("POST /v1/account/reset", () => {
    const link = async (email: string) => (await world.admin.post("/v1/account/reset-link", { email })).body;
    const reset = (url: string, password = "another password") =>
      world.anonymous.post("/v1/account/reset", { token: url.split("#")[1], password }, from());

    it("A15 sets a new password once, without the code, ends all sessions and is audited", async () => {
      const { email, cookie } = await person();
      const post = (path: string, body?: object) => world.anonymous.post(path, body, withCookie(cookie));
      const { secret } = (await post("/v1/account/totp")).body;
      const totp = totpAt(fromBase32(secret), Math.floor(world.ctx.watch.nowMs() / 30_000));
      await post("/v1/account/totp/enable", { password: PASSWORD, secret, totp });
      const { url } = await link(email.toUpperCase());
      expect(new URL(url).pathname).toBe("/reset");
      const stored = await runSql(world.connection, "select * from accounts where email = $1", [email]);
      expect(JSON.stringify(stored)).not.toContain(url.split(".").at(-1));
      const statuses = (await Promise.all([reset(url), reset(url)])).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, 404]);
      expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(401);
      expect((await signIn({ email, password: PASSWORD })).status).toBe(401);
      expect((await signIn({ email, password: "another password" })).status).toBe(201);
      expect(await audits("member.reset_link_created")).toMatchObject([{ actor_kind: "internal_secret" }]);
      expect(await audits("member.password_reset")).toHaveLength(1);
    });

    it("A15 ends with a newer link, a change of the password, or its time, and is the operator's to give", async () => {
      const { email, cookie } = await person();
      const first = (await link(email)).url;
      const second = (await link(email)).url;
      expect((await reset(first)).status).toBe(404);
      const change = { password: PASSWORD, new_password: "the changed password" };
      expect((await world.anonymous.post("/v1/account/password", change, withCookie(cookie))).status).toBe(204);
      expect((await reset(second)).status).toBe(404);
      const { url } = await link(email);
      await world.clock.pass("25h");
      for (const wrong of [url, "#", "#made-up", `${url}x`]) expect((await reset(wrong)).status).toBeGreaterThan(399);
      expect((await signIn({ email, password: "the changed password" })).status).toBe(201);
      expect((await project.api.post("/v1/account/reset-link", { email })).status).toBe(403);
      expect((await world.admin.post("/v1/account/reset-link", { email: "nobody@example.com" })).status).toBe(404);
    });
  });
});

describe("changes of one account at once", () => {
  it("A15 one wins, and the other returns 409", async () => {
    const { email, cookie } = await person();
    const change = (new_password: string) =>
      world.anonymous.post("/v1/account/password", { password: PASSWORD, new_password }, withCookie(cookie));
    const passwords = ["the first password", "the second password"];
    const gate = await holdGate(world.connection, "select 1 from accounts where email = $1 for update", [email]);
    const changes = passwords.map(change);
    await whenBlocked(world.connection, 2);
    await gate.open();
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 409]);
    const winner = passwords[statuses.indexOf(204)];
    expect((await signIn({ email, password: winner })).status).toBe(201);
  });
});

describe("POST /v1/account/totp", () => {
  describe("POST /v1/account/totp/enable", () => {
    describe("POST /v1/account/totp/disable", () => {
      it("A15 require a code at sign-in, which works once, also after a change of the password", async () => {
        const { email, cookie } = await person();
        const post = (path: string, body?: object) => world.anonymous.post(path, body, withCookie(cookie));
        const { secret } = (await post("/v1/account/totp")).body;
        const code = (steps = 0) => totpAt(fromBase32(secret), Math.floor(world.ctx.watch.nowMs() / 30_000) + steps);
        const confirm = (totp: string) => post("/v1/account/totp/enable", { password: PASSWORD, secret, totp });
        expect((await confirm("000000")).status).toBe(422);
        expect((await confirm(code())).status).toBe(204);
        const without = await signIn({ email, password: PASSWORD });
        expect([without.status, without.body.code]).toEqual([401, "totp_required"]);
        const used = code();
        expect((await signIn({ email, password: PASSWORD, totp: used })).status).toBe(201);
        expect((await signIn({ email, password: PASSWORD, totp: used })).status).toBe(401);
        const next = "another password";
        const guess = async () => (await signIn({ email, password: PASSWORD, totp: "000000" })).status;
        expect([await guess(), await guess(), await guess(), await guess()]).toEqual([401, 401, 401, 429]);
        await world.clock.pass("2m");
        await post("/v1/account/password", { password: PASSWORD, totp: code(), new_password: next });
        await world.clock.pass("2m");
        expect((await post("/v1/account/totp/disable", { password: next, totp: code() })).status).toBe(204);
        expect((await signIn({ email, password: next })).status).toBe(201);
        expect([...(await audits("member.totp_enabled")), ...(await audits("member.totp_disabled"))]).toHaveLength(2);
      });
    });
  });
});

describe("GET /v1/members/{memberID}/sessions", () => {
  describe("DELETE /v1/members/{memberID}/sessions", () => {
    it("A17 show where a member is signed in, and sign the member out", async () => {
      const { cookie } = await person();
      await world.anonymous.get("/v1/jobs", withCookie(cookie));
      const [member] = (await project.api.get("/v1/members")).body.data;
      expect(member.last_seen_at).not.toBeNull();
      const path = `/v1/members/${member.id}/sessions`;
      const { sessions } = (await project.api.get(path)).body;
      expect(sessions).toMatchObject([{ provider: null, ip: expect.stringMatching(/^192\.0\.2\./) }]);
      expect((await project.api.delete(path)).status).toBe(204);
      expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(401);
      expect(await audits("member.signed_out")).toHaveLength(1);
    });

    it("A17 neither show nor end sessions of a person who was added to a project and never used it", async () => {
      const { cookie } = await person();
      await world.anonymous.get("/v1/jobs", withCookie(cookie));
      const [{ subject }] = (await project.api.get("/v1/members")).body.data;
      const otherProject = await world.project();
      const added = await otherProject.api.post("/v1/members", { subject, role_id: "viewer" });
      const path = `/v1/members/${added.body.id}/sessions`;
      expect((await otherProject.api.get(path)).body.sessions).toEqual([]);
      expect((await otherProject.api.delete(path)).status).toBe(204);
      const [session] = (await world.anonymous.get("/v1/account/sessions", withCookie(cookie))).body.sessions;
      expect((await otherProject.api.delete(`${path}/${session.id}`)).status).toBe(404);
      expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(200);
    });
  });
});

describe("POST /v1/members/leave", () => {
  it("A17 ends the caller's own membership; only people can leave", async () => {
    const { cookie } = await person();
    expect((await project.api.post("/v1/members/leave")).status).toBe(403);
    expect((await world.anonymous.post("/v1/members/leave", undefined, withCookie(cookie))).status).toBe(204);
    expect((await world.anonymous.get("/v1/jobs", withCookie(cookie))).status).toBe(404);
    expect(await audits("member.left")).toHaveLength(1);
  });
});
