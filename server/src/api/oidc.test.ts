import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../test/outside/oidc-issuer.ts";
import { readStream } from "../../test/outside/read-stream.ts";
import { FOREIGN_KEY, rsaKey } from "../../test/outside/rsa-keys.ts";
import { seedRun } from "../../test/seed/seed-run.ts";
import { isWholeSize } from "../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { endRevoked } from "../platform/streams/event-stream.ts";

let issuer: OidcIssuer;
let world: World;
let project: TestProject;
beforeAll(async () => {
  issuer = await oidcIssuer();
  world = await makeWorld({ config: { oidc: { issuer: issuer.issuer, audience: AUDIENCE } } });
});
beforeEach(async () => {
  issuer.comeBack();
  project = await world.project();
});

const join = (subject: string, role_id: string) => project.api.post("/v1/members", { subject, role_id });
const listJobs = (token: string) => world.as(token).get(`/v1/jobs?project_id=${project.id}`);

describe("an OIDC token", () => {
  it("A3 of the configured issuer identifies its subject, with the rights of the role in the project", async () => {
    await join("ada", "viewer");
    const api = world.as(await issuer.token("ada"));
    expect((await api.get(`/v1/jobs?project_id=${project.id}`)).status).toBe(200);
    const refused = await api.post("/v1/jobs", { project_id: project.id, name: "x", endpoint_url: "https://x.com/" });
    expect([refused.status, refused.body.code]).toEqual([403, "scope_missing"]);
    await join("ada", "operator");
    const made = await api.post("/v1/jobs", { project_id: project.id, name: "x", endpoint_url: "https://x.com/" });
    expect(made.status).toBe(201);
    const [event] = (await project.api.get("/v1/audit-events?action=job.created")).body.data;
    expect(event).toMatchObject({ actor_kind: "member", actor_id: "ada" });
    const run = await api.post(`/v1/jobs/${made.body.id}/trigger`, { project_id: project.id });
    expect(run.body).toMatchObject({ created_by_id: "ada" });
    expect((await project.api.get("/v1/runs?created_by=ada")).body.data).toHaveLength(1);
  });

  it("A3 works with RS and ES keys alike", async () => {
    await join("somebody", "viewer");
    for (const alg of ["RS256", "ES256"] as const)
      expect((await listJobs(await issuer.sign({}, alg))).status).toBe(200);
  });

  it("gets 404 in a project without a membership, as if the project did not exist", async () => {
    const response = await listJobs(await issuer.token("grace"));
    const unknown = await world.as(await issuer.token("grace")).get("/v1/jobs?project_id=no-such-project");
    expect([response.status, unknown.status]).toEqual([404, 404]);
    expect(response.body.detail).toBe(unknown.body.detail);
  });

  it("can read its projects and itself", async () => {
    await join("somebody", "viewer");
    const api = world.as(await issuer.sign({}));
    const listed = (await api.get("/v1/projects?limit=100")).body.data.map(({ id }: { id: string }) => id);
    expect(listed).toContain(project.id);
    const other = await world.project();
    expect((await api.get("/v1/projects?limit=100")).body.data.map(({ id }: { id: string }) => id)).not.toContain(
      other.id,
    );
    expect((await api.get("/v1/me")).body).toMatchObject({ kind: "member", subject: "somebody" });
    expect((await api.post("/v1/projects", { name: "Mine" })).status).toBe(403);
  });

  it("stops working when the membership ends", async () => {
    const { body } = await join("somebody", "viewer");
    const token = await issuer.sign({});
    expect((await listJobs(token)).status).toBe(200);
    await project.api.delete(`/v1/members/${body.id}`);
    expect((await listJobs(token)).status).toBe(404);
  });

  it("A3 loses its open streams with the membership, and when the role loses a permission", async () => {
    const [ada, grace] = [(await join("ada", "viewer")).body, (await join("grace", "operator")).body];
    const run = await seedRun(world.connection, project.id);
    const listen = async (subject: string, topics = `run:${run}`) =>
      readStream(world.url, `/v1/stream?topics=${topics}&project_id=${project.id}`, {
        authorization: `Bearer ${await issuer.token(subject)}`,
      });
    const [removed, lowered] = [await listen("ada"), await listen("grace")];
    await endRevoked(world.ctx);
    expect([removed.hasEnded(), lowered.hasEnded()]).toEqual([false, false]);
    await project.api.delete(`/v1/members/${ada.id}`);
    await endRevoked(world.ctx);
    await removed.ended();
    expect(lowered.hasEnded()).toBe(false);
    await join("grace", "viewer");
    await endRevoked(world.ctx);
    await lowered.ended();
    expect(grace.subject).toBe("grace");
    const again = await listen("grace");
    await endRevoked(world.ctx);
    expect(again.hasEnded()).toBe(false);
    again.close();
  });

  it("works with the project named in the query, header or body, or by an id in the path", async () => {
    await join("somebody", "operator");
    const job = (await project.api.post("/v1/jobs", { name: "x", endpoint_url: "https://x.com/" })).body;
    const api = world.as(await issuer.sign({}));
    expect((await api.get(`/v1/jobs/${job.id}`)).status).toBe(200);
    expect((await api.get("/v1/jobs", { headers: { "x-project-id": project.slug } })).status).toBe(200);
    expect((await api.get("/v1/jobs")).status).toBe(422);
  });
});

describe("a token is refused", () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = () => ({ iss: issuer.issuer, aud: AUDIENCE, sub: "somebody", iat: now(), exp: now() + 300 });

  const cases: [string, () => Promise<string>][] = [
    ["that has expired", () => issuer.sign({ exp: now() - 120, iat: now() - 600 })],
    ["that was issued in the future", () => issuer.sign({ iat: now() + 120 })],
    ["that is not valid yet", () => issuer.sign({ nbf: now() + 120 })],
    ["for another audience", () => issuer.sign({ aud: "somebody-else" })],
    ["of another issuer", () => issuer.sign({ iss: "https://evil.example.com" })],
    ["without a subject", () => issuer.sign({ sub: undefined as never })],
    ["with the algorithm none", async () => `${part({ alg: "none" })}.${part(claims())}.`],
    [
      "signed with the public key as a shared secret",
      async () => {
        const head = `${part({ alg: "HS256", kid: issuer.publicKey().kid })}.${part(claims())}`;
        const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...shown } = issuer.publicKey();
        return `${head}.${createHmac("sha256", JSON.stringify(shown)).update(head).digest("base64url")}`;
      },
    ],
    [
      "signed by another key with the kid of ours",
      async () => {
        const { privateKey } = await rsaKey(FOREIGN_KEY);
        const header = { alg: "RS256", kid: issuer.publicKey().kid ?? "" };
        return new SignJWT(claims()).setProtectedHeader(header).sign(privateKey);
      },
    ],
    [
      "signed by a key that it brings along",
      async () => {
        const { privateKey, publicJwk: jwk } = await rsaKey(FOREIGN_KEY);
        return new SignJWT(claims()).setProtectedHeader({ alg: "RS256", jwk }).sign(privateKey);
      },
    ],
    ["with PS256", async () => `${part({ alg: "PS256" })}.${part(claims())}.AAAA`],
    [
      "whose claims were changed",
      async () => {
        const [head = "", , signature = ""] = (await issuer.sign({})).split(".");
        return `${head}.${part({ ...claims(), sub: "ada" })}.${signature}`;
      },
    ],
  ];
  it.each(cases)("A3 %s", async (_what, make) => {
    await join("somebody", "admin");
    const response = await listJobs(await make());
    expect([response.status, response.body.code]).toEqual([401, "unauthorized"]);
  });

  /** Invalid values of claims, as JSON. */
  const NO_TEXT = ["null", "true", "0", "7", "1e999", "{}", "[]", '["somebody"]'];
  const UNSTORABLE = ['"\\u0000"', '"a\\ud800"', '"\\udc00a"'];
  const NO_DATE = ["null", "true", '"soon"', "{}", "[]", "[1]", "1e999", "-1e999", "1e300", "9007199254740991"];
  const long = (length: number) => JSON.stringify("a".repeat(length));
  const wrongClaims: [claim: string, values: string[]][] = [
    ["sub", [...NO_TEXT, ...UNSTORABLE, '""', '" "', '"a\\nb"', '"ü"', long(256), long(9_000)]],
    ["iss", [...NO_TEXT, ...UNSTORABLE, '""', long(9_000)]],
    [
      "aud",
      [
        ...NO_TEXT,
        ...UNSTORABLE,
        '""',
        long(9_000),
        `["${AUDIENCE}", 7]`,
        `["${AUDIENCE}", null]`,
        `[["${AUDIENCE}"]]`,
      ],
    ],
    ["exp", [...NO_DATE, "0", '"9999999999"']],
    ["nbf", [...NO_DATE, '"0"']],
    ["iat", [...NO_DATE, '"0"']],
    ["email", [...NO_TEXT.slice(1), ...UNSTORABLE, '"a@b.c\\r\\nBcc: d@e.f"', long(9_000)]],
    ["preferred_username", [...NO_TEXT.slice(1), ...UNSTORABLE]],
    ["name", [...NO_TEXT.slice(1), ...UNSTORABLE]],
  ];
  const withClaim = (claim: string, value: string) =>
    issuer.signText(JSON.stringify({ ...claims(), [claim]: "@" }).replace('"@"', () => value));

  it.each(wrongClaims)("A3 whose claim %s is invalid, with the claim's name", async (claim, values) => {
    await join("somebody", "admin");
    for (const value of values) {
      const { status, body } = await listJobs(await withClaim(claim, value));
      expect([value, status, body.code]).toEqual([value, 401, "unauthorized"]);
      expect(`${value}: ${body.detail}`).toMatch(claim === "exp" ? /expired|claim exp / : `claim ${claim} `);
    }
  });

  it("A3 whose claims are not an object", async () => {
    for (const text of ["", "null", "[]", "7", '"somebody"', "{", "\u0000"]) {
      const { status, body } = await listJobs(await issuer.signText(text));
      expect([text, status, body.code]).toEqual([text, 401, "unauthorized"]);
    }
  });

  it("A3 never for unknown claims, or an optional one that is null", async () => {
    await join("somebody", "operator");
    const unknown = ["roles", "groups", "scope", "azp", "jti", "email_verified", "constructor", "__proto__"];
    const values = [...NO_TEXT, ...UNSTORABLE, long(3_000)];
    for (const [nth, value] of values.entries()) {
      for (const claim of isWholeSize() ? unknown : [unknown[nth % unknown.length] ?? ""]) {
        const { status } = await listJobs(await withClaim(claim, value));
        expect([claim, value, status]).toEqual([claim, value, 200]);
      }
    }
    for (const claim of ["email", "preferred_username", "name"]) {
      expect((await listJobs(await withClaim(claim, "null"))).status).toBe(200);
    }
  });

  it("A3 but not for a clock that is a minute off", async () => {
    await join("somebody", "viewer");
    expect((await listJobs(await issuer.sign({ exp: now() - 30, iat: now() - 600 }))).status).toBe(200);
  });

  it("A3 for a subject that belongs to a local account or to another provider", async () => {
    await join("local:ada", "admin");
    const response = await listJobs(await issuer.sign({ sub: "local:ada" }));
    expect([response.status, response.body.detail]).toEqual([
      401,
      "The OIDC token's claim sub names another provider.",
    ]);
  });

  it("A3 everywhere while OIDC is not configured, and an issuer with a different name is not trusted", async () => {
    const off = await world.anotherInstance({ oidc: undefined });
    const response = await off.anonymous.get("/v1/me", {
      headers: { authorization: `Bearer ${await issuer.sign({})}` },
    });
    expect([response.status, response.body.detail]).toEqual([401, expect.stringContaining("OIDC_ISSUER")]);
    const wrong = await world.anotherInstance({ oidc: { issuer: `${issuer.issuer}/`, audience: AUDIENCE } });
    const headers = { authorization: `Bearer ${await issuer.sign({ iss: `${issuer.issuer}/` })}` };
    expect((await wrong.anonymous.get("/v1/me", { headers })).status).toBe(503);
  });
});

describe("the issuer's keys", () => {
  it("A3 are fetched once for many tokens", async () => {
    await join("somebody", "viewer");
    const fresh = await world.anotherInstance();
    const before = issuer.requests();
    const headers = { authorization: `Bearer ${await issuer.sign({})}` };
    await Promise.all(Array.from({ length: 20 }, () => fresh.anonymous.get("/v1/me", { headers })));
    expect(issuer.requests() - before).toBe(2);
  });

  it("A3 that are cached stay valid while the issuer is unreachable", async () => {
    await join("somebody", "viewer");
    const token = await issuer.sign({});
    expect((await listJobs(token)).status).toBe(200);
    issuer.goAway();
    await world.clock.set(new Date(Date.now() + 1_000).toISOString());
    expect((await listJobs(token)).status).toBe(200);
  });

  it("A3 are fetched again when a token names a new one, at most every half minute", async () => {
    await join("somebody", "viewer");
    const fresh = await world.anotherInstance();
    const call = async () =>
      (await fresh.anonymous.get("/v1/me", { headers: { authorization: `Bearer ${await issuer.sign({})}` } })).status;
    expect(await call()).toBe(200);
    await issuer.rotate();
    const before = issuer.requests();
    for (let n = 0; n < 5; n++) expect(await call()).toBe(401);
    expect(issuer.requests()).toBe(before);
    await world.clock.pass("2m");
    expect(await call()).toBe(200);
  });
});
