import { type CryptoKey, type JWTPayload, SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStream } from "../../../test/outside/read-stream.ts";
import { FOREIGN_KEY, rsaKey } from "../../../test/outside/rsa-keys.ts";
import { signInProvider, type TestProvider } from "../../../test/outside/sign-in-provider.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { endRevoked } from "../../platform/streams/event-stream.ts";
import { isOwnPath } from "./start-sign-in.ts";

let world: World;
let okta: TestProvider;
let other: TestProvider;
let project: TestProject;
let foreignKey: CryptoKey;
beforeAll(async () => {
  foreignKey = (await rsaKey(FOREIGN_KEY)).privateKey;
  [okta, other] = [await signInProvider("okta"), await signInProvider("other")];
  const rules = [
    { provider: "okta", group: "operators", project: "will-be-set", role: "operator" },
    { email_domain: "example.com", project: "will-be-set", role: "viewer" },
  ];
  world = await makeWorld({
    config: {
      trusted_proxies: ["127.0.0.1"],
      sign_in: { providers: [okta.settings, other.settings], rules, recheck_secs: 5 },
    },
  });
});
beforeEach(async () => {
  okta.reset();
  other.reset();
  project = await world.project();
  for (const rule of world.ctx.config.sign_in.rules) rule.project = project.slug;
});

let address = 0;
const newAddress = () => ({ "x-forwarded-for": `192.0.2.${++address % 250}` });
type Sent = { status: number; text: string; location: string; cookies: string[] };

async function get(url: string, cookie = ""): Promise<Sent> {
  const response = await fetch(url, { redirect: "manual", headers: { ...newAddress(), ...(cookie && { cookie }) } });
  const { status, headers } = response;
  return {
    status,
    text: await response.text(),
    location: headers.get("location") ?? "",
    cookies: headers.getSetCookie(),
  };
}

const valueIn = ({ cookies }: Sent, name: string) =>
  cookies.find((cookie) => cookie.startsWith(`${name}=`))?.split(";")[0] ?? "";
const sessionOf = (sent: Sent) => valueIn(sent, "millrace_session");
const start = async (provider = okta, query = "") => {
  const sent = await get(`${world.url}/v1/sign-in/${provider.settings.id}${query}`);
  return {
    ...sent,
    cookie: sent.cookies.find((cookie) => cookie.startsWith("millrace_sign_in_"))?.split(";")[0] ?? "",
  };
};

/** Goes to the provider and comes back, changed on the way. */
async function signIn(claims: JWTPayload = {}, { query = "", change = (_: URL) => {} } = {}): Promise<Sent> {
  okta.answers.claims = claims;
  const begun = await start(okta, query);
  const back = okta.approve(begun.location);
  change(back);
  return get(back.href, begun.cookie);
}

const OPERATOR = { sub: "ada", groups: ["operators"], email: "ada@elsewhere.org", email_verified: true };
const withCookie = (cookie: string) => ({ headers: { cookie, "x-project-id": project.id } });
const sessions = () => runSql(world.connection, "select 1 from sessions where kind = 'member'");
const members = async () => (await project.api.get("/v1/members")).body.data;

describe("GET /v1/sign-in", () => {
  it("lists the providers in the settings", async () => {
    const { body } = await world.anonymous.get("/v1/sign-in");
    expect(body.providers).toEqual([
      { id: "okta", name: "The okta", url: "/v1/sign-in/okta" },
      { id: "other", name: "The other", url: "/v1/sign-in/other" },
    ]);
  });
});

describe("GET /v1/sign-in/{provider}", () => {
  it("sends the browser to the provider, with PKCE, state and nonce", async () => {
    const { status, location, cookies } = await start();
    expect(status).toBe(302);
    const url = new URL(location);
    expect(url.origin).toBe(okta.settings.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ tenant: "1", response_type: "code", client_id: "okta", scope: "openid email" },
      redirect_uri: `${world.url}/v1/sign-in/okta/callback`,
      ...{ state: expect.stringMatching(/^.{43}$/), nonce: expect.stringMatching(/^.{43}$/) },
      ...{ code_challenge: expect.stringMatching(/^.{43}$/), code_challenge_method: "S256" },
    });
    expect(cookies).toEqual([
      expect.stringMatching(
        /^millrace_sign_in_[0-9a-f]{16}=.{43}; Max-Age=600; Path=\/v1\/sign-in; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it("refuses to return to another site", async () => {
    const elsewhere = [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      "evil",
      "/\t/evil.example",
      "",
      "/v1/me",
      "/..//evil.example",
      "/.//evil.example",
    ];
    expect(elsewhere.filter(isOwnPath)).toEqual([]);
    expect(["/", "/runs?status=failed#x", "/a//b"].filter((path) => !isOwnPath(path))).toEqual([]);
    const { status, text } = await start(okta, `?return_to=${encodeURIComponent("//evil.example")}`);
    expect([status, JSON.parse(text).errors[0].location]).toEqual([422, "query.return_to"]);
  });

  it("404 for a provider that is not in the settings", async () => {
    expect((await get(`${world.url}/v1/sign-in/nobody`)).status).toBe(404);
  });

  it.each(["discovery", "everything"] as const)("shows a page if the provider fails: %s", async (failing) => {
    const fresh = await world.anotherInstance();
    okta.answers.failing = failing;
    const sent = await get(`${fresh.url}/v1/sign-in/okta`);
    expect([sent.status, sent.cookies]).toEqual([503, []]);
    expect(sent.text).toContain("<h1>The identity provider does not respond</h1>");
  });

  it("shows a page if the provider's metadata name another issuer", async () => {
    const fresh = await world.anotherInstance();
    okta.answers.discovery = { issuer: "https://evil.example" };
    expect((await get(`${fresh.url}/v1/sign-in/okta`)).status).toBe(503);
  });
});

describe("GET /v1/sign-in/{provider}/callback", () => {
  it("A13 signs in, makes the person a member by the first rule that applies, and returns to the page", async () => {
    const sent = await signIn(OPERATOR, { query: "?return_to=%2Fruns%3Fstatus%3Dfailed" });
    expect([sent.status, sent.location]).toEqual([302, "/runs?status=failed"]);
    const cookie = sessionOf(sent);
    const me = await world.anonymous.get("/v1/me", withCookie(cookie));
    expect(me.body).toMatchObject({ kind: "member", subject: "okta:ada", name: "ada@elsewhere.org" });
    expect(me.body.memberships).toMatchObject([{ project_id: project.id, role_name: "operator" }]);
    expect(me.body.memberships[0].permissions).toContain("jobs:write");
    expect((await world.anonymous.get("/v1/jobs", withCookie(cookie))).status).toBe(200);
    expect(await members()).toMatchObject([{ subject: "okta:ada", role_name: "operator", created_by: "sign-in rule" }]);
    const [event] = (await project.api.get("/v1/audit-events?action=member.created")).body.data;
    expect(event).toMatchObject({ actor_kind: "service", after: { subject: "okta:ada" } });
    const { sign_out_url } = (await world.anonymous.get("/v1/session", withCookie(cookie))).body;
    expect(sign_out_url).toMatch(`${okta.settings.issuer}/logout?client_id=okta&post_logout_redirect_uri=`);
  });

  it("A13 the same subject at another provider is another person, without the first one's role", async () => {
    await signIn(OPERATOR);
    other.answers.claims = { ...OPERATOR, email: "ada@example.com" };
    const begun = await start(other);
    const cookie = sessionOf(await get(other.approve(begun.location).href, begun.cookie));
    const me = await world.anonymous.get("/v1/me", withCookie(cookie));
    expect(me.body).toMatchObject({ subject: "other:ada", memberships: [{ role_name: "viewer" }] });
    expect((await members()).map(({ subject }: { subject: string }) => subject).sort()).toEqual([
      "okta:ada",
      "other:ada",
    ]);
  });

  it("A13 follows groups: a new role at the next sign-in, and a role that people assigned stays", async () => {
    const operator = { ...OPERATOR, sub: "grace" };
    await signIn(operator);
    await signIn({ ...operator, groups: [], email: "grace@Example.com" });
    expect(await members()).toMatchObject([{ role_name: "viewer", by_rule: true }]);
    await project.api.post("/v1/members", { subject: "okta:grace", role_id: "triggerer" });
    await signIn(operator);
    expect(await members()).toMatchObject([{ role_name: "triggerer" }]);
  });

  it("A13 an e-mail domain counts only if the provider has verified the address", async () => {
    const sent = await signIn({ sub: "eve", email: "eve@example.com" });
    expect([sent.status, sessionOf(sent)]).toEqual([403, ""]);
    expect(sent.text).toContain("add the subject okta:eve.");
    expect((await signIn({ sub: "eve", email: "eve@not-example.com", email_verified: true })).status).toBe(403);
    // A Cyrillic letter, a dotless i, an invisible character, and a domain in the local part.
    for (const email of [
      "eve@ex\u0430mple.com",
      "eve@exampl\u0131.com",
      "eve@example.com\u200b",
      '"eve@example.com"@evil.org',
    ])
      expect((await signIn({ sub: "eve", email, email_verified: true })).status, email).toBe(403);
    expect((await signIn({ sub: "eve", email: "eve@EXAMPLE.com", email_verified: true })).status).toBe(302);
  });

  it("A13 ignores malformed claims: huge, nested or mistyped groups, and an unverified address as a name", async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `group-${n}`);
    for (const groups of [many, "x".repeat(100_000), { operators: true }, [["operators"]], 7, null])
      expect((await signIn({ sub: "odd", groups })).status).toBe(403);
    await project.api.post("/v1/members", { subject: "okta:odd", role_id: "viewer" });
    const sent = await signIn({ sub: "odd", email: "boss@example.com", email_verified: false, name: "Odd" });
    expect((await world.anonymous.get("/v1/me", withCookie(sessionOf(sent)))).body.name).toBe("Odd");
    expect((await signIn({ sub: "odd", name: "x".repeat(500_000) })).status).toBe(302);
    expect((await signIn({ sub: "odd", name: "x".repeat(1_200_000) })).status).toBe(400);
  });

  it("A13 starts a new session each time, whatever cookie the browser brings", async () => {
    const first = sessionOf(await signIn(OPERATOR));
    const begun = await start();
    const sent = await get(okta.approve(begun.location).href, `${begun.cookie}; millrace_session=fixed; ${first}`);
    expect(sessionOf(sent)).toMatch(/^millrace_session=.{43}$/);
    expect([first, "millrace_session=fixed"]).not.toContain(sessionOf(sent));
    expect((await world.anonymous.get("/v1/me", withCookie("millrace_session=fixed"))).status).toBe(401);
  });

  it("A13 accepts an answer once, in the browser that began", async () => {
    okta.answers.claims = OPERATOR;
    const begun = await start();
    const back = okta.approve(begun.location).href;
    const foreign = await start();
    const name = begun.cookie.split("=")[0];
    for (const cookie of ["", `${name}=made-up`, foreign.cookie, `${name}=${foreign.cookie.split("=")[1]}`]) {
      const sent = await get(back, cookie);
      expect([sent.status, sessionOf(sent)]).toEqual([400, ""]);
      expect(sent.text).toContain("<h1>This sign-in is over</h1>");
    }
    const responses = await Promise.all(Array.from({ length: 5 }, () => get(back, begun.cookie)));
    expect(responses.map(({ status }) => status).sort()).toEqual([302, 400, 400, 400, 400]);
  });

  it("A13 completes the sign-ins of two tabs, and makes the person a member once", async () => {
    okta.answers.claims = { ...OPERATOR, sub: "two-tabs" };
    const [first, second] = [await start(), await start()];
    const both = `${first.cookie}; ${second.cookie}`;
    const answers = [first, second].map(({ location }) => get(okta.approve(location).href, both));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([302, 302]);
    expect(await members()).toMatchObject([{ subject: "okta:two-tabs" }]);
    expect((await project.api.get("/v1/audit-events?action=member.created")).body.data).toHaveLength(1);
  });

  it("A13 accepts a token signed with a key that was published after the last fetch", async () => {
    await signIn(OPERATOR);
    const begun = await start();
    await okta.rotateKeys();
    expect((await get(okta.approve(begun.location).href, begun.cookie)).status).toBe(302);
  });

  it("the cookies are Secure if a trusted proxy received the request over https", async () => {
    const headers = { ...newAddress(), "x-forwarded-proto": "https", "x-forwarded-host": "millrace.example" };
    const { headers: sent } = await fetch(`${world.url}/v1/sign-in/okta`, { redirect: "manual", headers });
    expect(sent.getSetCookie()).toEqual([expect.stringMatching(/; Secure$/)]);
  });

  it("A13 refuses an answer after ten minutes, and one meant for another provider", async () => {
    const begun = await start();
    const back = okta.approve(begun.location);
    expect((await get(back.href.replace("/okta/", "/other/"), begun.cookie)).status).toBe(400);
    await runSql(world.connection, "update sign_in_attempts set expires_at = clock()");
    expect((await get(back.href, begun.cookie)).status).toBe(400);
  });

  const changed: [string, number, (url: URL) => void][] = [
    ["another state", 400, (url) => url.searchParams.set("state", "x".repeat(43))],
    ["no state", 400, (url) => url.searchParams.delete("state")],
    ["no code", 400, (url) => url.searchParams.delete("code")],
    ["a code that was never issued", 400, (url) => url.searchParams.set("code", "made-up")],
    ["another issuer (mix-up)", 400, (url) => url.searchParams.set("iss", other.settings.issuer)],
    ["no issuer, though the provider promises it", 400, (url) => url.searchParams.delete("iss")],
    ["error=access_denied", 403, (url) => url.searchParams.set("error", "access_denied")],
    [
      "error=server_error and a text",
      400,
      (url) => (url.search = `${url.search}&error=server_error&error_description=<b>`),
    ],
  ];
  it.each(changed)("A13 shows a page and starts no session for an answer with %s", async (_, status, change) => {
    const before = (await sessions()).length;
    const sent = await signIn(OPERATOR, { change });
    expect([sent.status, sessionOf(sent), sent.text.includes("<b>")]).toEqual([status, "", false]);
    expect(sent.text).toContain("Back to sign-in");
    expect((await sessions()).length).toBe(before);
  });

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const secs = () => Math.floor(Date.now() / 1_000);
  const tokens: [string, JWTPayload, TestProvider["answers"]["id_token"]][] = [
    ["another nonce", { nonce: "other" }, undefined],
    ["no nonce", { nonce: undefined as never }, undefined],
    ["another audience", { aud: "other" }, undefined],
    ["another issuer", { iss: "https://evil.example" }, undefined],
    ["an expiry in the past", { exp: secs() - 120, iat: secs() - 600 }, undefined],
    ["a malformed subject", { sub: "" }, undefined],
    [
      "no signature (alg none)",
      {},
      (claims) => `${part({ alg: "none" })}.${part({ ...claims, iat: secs(), exp: secs() + 60 })}.`,
    ],
    [
      "the signature of another key",
      {},
      async (claims) => {
        const signed = new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "key-okta" });
        return signed.setIssuedAt().setExpirationTime("5m").sign(foreignKey);
      },
    ],
    ["no JWT at all", {}, () => "junk"],
  ];
  it.each(tokens)("A13 starts no session for an ID token with %s", async (_, claims, id_token) => {
    okta.answers.id_token = id_token;
    const sent = await signIn({ ...OPERATOR, ...claims });
    expect([sent.status, sessionOf(sent)]).toEqual([400, ""]);
    expect(sent.text).toContain("<h1>Sign-in failed</h1>");
  });

  it("A13 shows a page if the provider fails while it is asked for the tokens", async () => {
    const begun = await start();
    okta.answers.failing = "token";
    const sent = await get(okta.approve(begun.location).href, begun.cookie);
    expect([sent.status, sessionOf(sent)]).toEqual([503, ""]);
  });
});

describe("a session of a person", () => {
  it("A14 ends, with its streams, when the provider no longer reports the group or withdraws the grant", async () => {
    const run = await seedRun(world.connection, project.id);
    const listen = (cookie: string) =>
      readStream(world.url, `/v1/stream?topics=run:${run}&project_id=${project.id}`, { cookie });
    for (const withdraw of [
      () => Object.assign(okta.answers, { claims: { sub: "ada", groups: [] } }),
      () => Object.assign(okta.answers, { refresh: "refused" }),
    ]) {
      okta.reset();
      const cookie = sessionOf(await signIn(OPERATOR));
      const stream = await listen(cookie);
      await world.clock.pass("6s");
      await endRevoked(world.ctx);
      expect(stream.hasEnded()).toBe(false);
      withdraw();
      await world.clock.pass("6s");
      await endRevoked(world.ctx);
      await stream.ended();
      const response = await world.anonymous.get("/v1/me", withCookie(cookie));
      expect([response.status, response.body.code]).toEqual([401, "session_expired"]);
    }
  });

  it.each(["limited", "passing", "page"] as const)(
    "A14 goes on if a refresh says nothing about it: %s",
    async (refresh) => {
      const cookie = sessionOf(await signIn(OPERATOR));
      okta.answers.refresh = refresh;
      await world.clock.pass("6s");
      expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(200);
      okta.answers.refresh = "refused";
      await world.clock.pass("31s");
      expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(401);
    },
  );

  it("A14 goes on when the provider replaces its keys, and ends when another key signs", async () => {
    const cookie = sessionOf(await signIn(OPERATOR));
    const status = async () => (await world.anonymous.get("/v1/me", withCookie(cookie))).status;
    await okta.rotateKeys();
    await world.clock.pass("6s");
    expect(await status()).toBe(200);
    okta.answers.id_token = async (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).setIssuedAt().setExpirationTime("5m").sign(foreignKey);
    await world.clock.pass("6s");
    expect(await status()).toBe(401);
  });

  it("A14 the refresh token is not readable from the database", async () => {
    await signIn(OPERATOR);
    const rows = await runSql<{ text: string }>(
      world.connection,
      "select encode(refresh_token, 'escape') as text from sessions where refresh_token is not null",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ text }) => text.includes("refresh-"))).toBe(false);
  });

  it("A14 continues for an hour while the provider does not respond, and asks it every 30 s", async () => {
    const cookie = sessionOf(await signIn(OPERATOR));
    okta.answers.failing = "token";
    await world.clock.pass("6s");
    const before = okta.requests().length;
    for (let n = 0; n < 3; n++) expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(200);
    expect(okta.requests().length - before).toBe(1);
    await world.clock.pass("61m");
    expect((await world.anonymous.get("/v1/me", withCookie(cookie))).status).toBe(401);
  });
});
