import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../test/world/database.ts";
import { untilUp } from "../../../test/world/until-up.ts";
import { INTERNAL_SECRET, type Instance, makeWorld, type World } from "../../../test/world/world.ts";
import { newSignInCode } from "../../platform/access/credentials/session-store.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { trusted_proxies: ["127.0.0.1"] } });
});

const IN_12_HOURS = 12 * 3_600_000;

let address = 0;
/** Signs in from a new address each time, because one address may sign in ten times a minute. */
async function signIn(body: object, instance: Instance = world) {
  const headers = { "x-forwarded-for": `192.0.2.${++address}` };
  const response = await instance.anonymous.post("/v1/session", body, { headers });
  const setCookie = response.headers.get("set-cookie") ?? "";
  return { ...response, setCookie, cookie: setCookie.split(";")[0] ?? "" };
}

const withCookie = (cookie: string) => ({ headers: { cookie } });
const sessionRows = () => runSql(world.connection, "select * from sessions");

describe("POST /v1/session", () => {
  it("exchanges an API key for a cookie with the key's permissions", async () => {
    const { id, key, key_id } = await world.project();
    const session = await signIn({ api_key: key });
    expect(session.status).toBe(201);
    expect(session.body).toMatchObject({ kind: "api_key", project_id: id, key_id });
    const me = await world.anonymous.get("/v1/me", withCookie(session.cookie));
    expect(me.body).toMatchObject({ kind: "api_key", key_id, session_expires_at: session.body.expires_at });
    expect((await world.anonymous.get("/v1/environments", withCookie(session.cookie))).body.data).toHaveLength(3);
    expect((await world.anonymous.post("/v1/projects", { name: "x" }, withCookie(session.cookie))).status).toBe(403);
  });

  it("exchanges the internal secret for an administrator's session", async () => {
    const session = await signIn({ internal_secret: INTERNAL_SECRET });
    expect(session.body).toMatchObject({ kind: "internal_secret", project_id: null, key_id: null });
    const created = await world.anonymous.post("/v1/projects", { name: "By cookie" }, withCookie(session.cookie));
    expect(created.status).toBe(201);
  });

  it("exchanges a one-time code, in upper or lower case", async () => {
    const code = await newSignInCode(world.ctx);
    expect(code).toMatch(/^([0-9A-F]{5}-){3}[0-9A-F]{5}$/);
    expect((await signIn({ code: ` ${code.toLowerCase()} ` })).status).toBe(201);
    const again = await signIn({ code });
    expect([again.status, again.body.code]).toEqual([401, "unauthorized"]);
  });

  it("accepts a code once out of twenty concurrent attempts", async () => {
    const code = await newSignInCode(world.ctx);
    const responses = await Promise.all(Array.from({ length: 20 }, () => signIn({ code })));
    expect(responses.map((response) => response.status).sort()).toEqual([201, ...Array(19).fill(401)]);
  });

  it.each([
    [[]],
    [["api_key", "internal_secret"]],
    [["api_key", "code"]],
    [["internal_secret", "code"]],
    [["api_key", "internal_secret", "code"]],
  ])("422 for the credentials %j: accepts exactly one, and returns none of them", async (names: string[]) => {
    const response = await signIn(Object.fromEntries(names.map((name) => [name, "my-secret"])));
    expect([response.status, response.text.includes("my-secret")]).toEqual([422, false]);
  });

  it("401 for a key that is malformed, unknown, revoked or expired, and for wrong secrets and codes", async () => {
    const { api, newKey } = await world.project();
    const [revoked, expired] = [await newKey(), await newKey()];
    await api.delete(`/v1/api-keys/${revoked.id}`);
    await runSql(world.connection, "update api_keys set expires_at = clock() where id = $1", [expired.id]);
    for (const body of [
      { api_key: "svc_short" },
      { api_key: "svc_0000000000000000000000000000000000000000" },
      { api_key: revoked.key },
      { api_key: expired.key },
      { internal_secret: "wrong" },
      { code: "00000-00000-00000-00000" },
    ]) {
      const response = await signIn(body);
      expect([body, response.status, response.setCookie]).toEqual([body, 401, ""]);
    }
  });

  it("the cookie is inaccessible to scripts and other sites, and expires with the session", async () => {
    const session = await signIn({ internal_secret: INTERNAL_SECRET });
    const [value, ...flags] = session.setCookie.split("; ");
    expect(value).toMatch(/^millrace_session=[\w-]{43}$/);
    const expires = `Expires=${new Date(session.body.expires_at).toUTCString()}`;
    expect(flags.toSorted()).toEqual([expires, "HttpOnly", "Path=/", "SameSite=Strict"].toSorted());
    expect(session.text).not.toContain(value?.split("=")[1]);
    expect(JSON.stringify(await sessionRows())).not.toContain(value?.split("=")[1]);
  });

  it("the cookie is Secure if the service is reached over https", async () => {
    const secure = await world.anotherInstance({ public_url: "https://millrace.example.com" });
    const session = await signIn({ internal_secret: INTERNAL_SECRET }, secure);
    expect(session.setCookie).toMatch(/; Secure$/);
  });

  it("429 for the eleventh attempt in a minute from one address, even with the general limit off", async () => {
    const headers = { "x-forwarded-for": "198.51.100.7" };
    const sendOne = () => world.anonymous.post("/v1/session", { code: "x" }, { headers });
    const responses = await Promise.all(Array.from({ length: 12 }, sendOne));
    expect(responses.filter((response) => response.status === 429)).toHaveLength(2);
    expect((await signIn({ code: "x" })).status).toBe(401);
  });
});

describe("GET /v1/session", () => {
  it("returns the cookie's session; 404 without a cookie, 401 for an unknown one", async () => {
    const { key, api } = await world.project();
    const session = await signIn({ api_key: key });
    const { $schema, ...body } = session.body;
    expect((await world.anonymous.get("/v1/session", withCookie(session.cookie))).body).toMatchObject(body);
    expect((await api.get("/v1/session")).status).toBe(404);
    const unknown = await world.anonymous.get("/v1/session", withCookie("millrace_session=made-up"));
    expect([unknown.status, unknown.body.code]).toEqual([401, "session_expired"]);
  });

  it("401 once the key behind it is revoked", async () => {
    const { api, newKey } = await world.project();
    const { id, key } = await newKey();
    const { cookie } = await signIn({ api_key: key });
    await api.delete(`/v1/api-keys/${id}`);
    const response = await world.anonymous.get("/v1/session", withCookie(cookie));
    expect([response.status, response.body.code]).toEqual([401, "key_revoked"]);
  });

  it("an Authorization header takes precedence over the cookie", async () => {
    const { key, key_id } = await world.project();
    const { cookie } = await signIn({ internal_secret: INTERNAL_SECRET });
    const me = await world.as(key).get("/v1/me", withCookie(cookie));
    expect(me.body).toMatchObject({ kind: "api_key", key_id, session_expires_at: null });
  });
});

describe("DELETE /v1/session", () => {
  it("signs out: deletes the session and clears the cookie", async () => {
    const { cookie } = await signIn({ internal_secret: INTERNAL_SECRET });
    const response = await world.anonymous.delete("/v1/session", withCookie(cookie));
    expect([response.status, response.headers.get("set-cookie")]).toEqual([
      204,
      "millrace_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    expect((await world.anonymous.get("/v1/session", withCookie(cookie))).body.code).toBe("session_expired");
  });

  it("403 for a cross-site request", async () => {
    const { cookie } = await signIn({ internal_secret: INTERNAL_SECRET });
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
      const response = await world.anonymous.delete("/v1/session", { headers: { ...headers, cookie } });
      expect([response.status, response.body.code]).toEqual([403, "cross_site_request"]);
    }
    const own = { headers: { cookie, origin: world.url, "sec-fetch-site": "same-origin" } };
    expect((await world.anonymous.delete("/v1/session", own)).status).toBe(204);
  });
});

describe("session expiry", () => {
  it("a session lasts twelve hours and a code one hour, and the task deletes expired ones", async () => {
    await world.clock.set("2030-01-01T00:00:00.000Z");
    const { cookie, body } = await signIn({ internal_secret: INTERNAL_SECRET });
    expect(body.expires_at).toBe(new Date(Date.parse("2030-01-01T00:00:00Z") + IN_12_HOURS).toISOString());
    const code = await newSignInCode(world.ctx);
    await world.clock.set("2030-01-01T01:00:00.000Z");
    expect((await signIn({ code })).status).toBe(401);
    for (const time of ["01:59", "03:58", "05:57", "07:56", "09:55", "11:54"]) {
      await world.clock.set(`2030-01-01T${time}:00.000Z`);
      expect((await world.anonymous.get("/v1/session", withCookie(cookie))).status).toBe(200);
    }
    await world.clock.set("2030-01-01T11:59:59.999Z");
    expect((await world.anonymous.get("/v1/session", withCookie(cookie))).status).toBe(200);
    await world.tick("remove-old-rows");
    expect(await sessionRows()).toHaveLength(1);
    await world.clock.set("2030-01-01T12:00:00.000Z");
    const ended = await world.anonymous.get("/v1/session", withCookie(cookie));
    expect([ended.status, ended.body.code]).toEqual([401, "session_expired"]);
    expect(await world.tick("remove-old-rows")).toBe(false);
    expect(await sessionRows()).toEqual([]);
  });

  it("a session expires after two idle hours, and one in use costs one write a minute", async () => {
    await runSql(world.connection, "delete from sessions");
    await world.clock.set("2031-01-01T00:00:00.000Z");
    const { cookie } = await signIn({ internal_secret: INTERNAL_SECRET });
    const ask = async () => (await world.anonymous.get("/v1/session", withCookie(cookie))).body.code ?? "signed in";
    const used = async () =>
      (await sessionRows()).map(({ last_used_at }) => new Date(last_used_at as Date).toISOString());
    await world.clock.set("2031-01-01T00:00:59.000Z");
    expect([await ask(), await used()]).toEqual(["signed in", ["2031-01-01T00:00:00.000Z"]]);
    await world.clock.set("2031-01-01T01:59:59.000Z");
    expect([await ask(), await used()]).toEqual(["signed in", ["2031-01-01T01:59:59.000Z"]]);
    await world.clock.set("2031-01-01T03:59:58.999Z");
    await ask();
    await world.clock.set("2031-01-01T05:59:58.999Z");
    expect(await ask()).toBe("session_expired");
    await runSql(world.connection, "delete from sessions");
  });

  it("a session ends with the secret of the key that started it, even if the key lives on", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    const { cookie } = await signIn({ api_key: key });
    const ask = async (its: string) => (await world.anonymous.get("/v1/session", withCookie(its))).body.code;
    const rotated = await project.api.post(`/v1/api-keys/${id}/rotate`, { grace_period_minutes: 5 });
    const after = await signIn({ api_key: rotated.body.key });
    expect([await ask(cookie), await ask(after.cookie)]).toEqual([undefined, undefined]);
    await world.clock.pass("5m");
    expect([await ask(cookie), await ask(after.cookie)]).toEqual(["key_expired", undefined]);
    await runSql(world.connection, "delete from sessions");
  });

  it("a session of the internal secret ends when that value leaves the settings, and so does one started by a link", async () => {
    const { cookie } = await signIn({ internal_secret: INTERNAL_SECRET });
    const byLink = (await signIn({ code: await newSignInCode(world.ctx) })).cookie;
    const next = "the-next-internal-secret-0123456789abcdef";
    const both = await world.anotherInstance({ internal_secrets: [next, INTERNAL_SECRET] });
    const changed = await world.anotherInstance({ internal_secrets: [next] });
    await untilUp([world, both, changed]);
    for (const its of [cookie, byLink]) {
      const ask = async ({ anonymous }: Instance) => (await anonymous.get("/v1/session", withCookie(its))).body.code;
      expect([await ask(both), await ask(changed)]).toEqual([undefined, "session_expired"]);
    }
    await runSql(world.connection, "delete from sessions");
  });

  it("the task deletes a page at a time and reports whether more is left", async () => {
    await runSql(
      world.connection,
      `insert into sessions (id, kind, token_hash, created_at, expires_at)
       select gen_random_uuid(), 'internal_secret', sha256(n::text::bytea), clock(), clock() from generate_series(1, 1001) n`,
    );
    expect(await world.tick("remove-old-rows")).toBe(true);
    expect(await sessionRows()).toHaveLength(1);
    expect(await world.tick("remove-old-rows")).toBe(false);
  });
});
