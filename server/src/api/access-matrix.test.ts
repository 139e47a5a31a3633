import { pino } from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../test/outside/oidc-issuer.ts";
import {
  endedKey,
  internalCredentials,
  keyCredential,
  memberCredentials,
  restrictedCredentials,
  runCredential,
  scopedCredentials,
  tokenCredentials,
  unknownCredentials,
} from "../../test/requests/access-credentials.ts";
import { edgeRoutes } from "../../test/requests/edge-routes.ts";
import { type Credential, expectedAccess } from "../../test/requests/expected-access.ts";
import { endedSession, sessionCredentials, signIn } from "../../test/requests/session-credentials.ts";
import { eachOf, outcomeOf, requestRoute, walkRoutes } from "../../test/requests/walk-routes.ts";
import { oneOfEachKind, oneOfEachScope } from "../../test/seed/one-of-each.ts";
import { type RunningRun, runningRun } from "../../test/seed/running-run.ts";
import { sizeOf } from "../../test/world/size.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { openService } from "../main/open-service.ts";
import { LONG_TIMEOUTS } from "../platform/database/timeouts.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

const routes = [...allRoutes, ...edgeRoutes];
const STREAM = "/v1/test/stream";
const CONCURRENCY = 4;

const ofEachKind = oneOfEachKind(routes);
const ofEachScope = oneOfEachScope(routes);

let world: World;
let project: TestProject;
let endedKeys: Credential[];
let rotated: { old: string; current: string };
let oldSession: string;
let running: RunningRun;
let expiredToken: string;
let issuer: OidcIssuer;

/** A service as in production, so that a loopback address grants nothing; simulated over two days. */
beforeAll(async () => {
  issuer = await oidcIssuer();
  const oidc = { issuer: issuer.issuer, audience: AUDIENCE };
  world = await makeWorld({ config: { mode: "serve", oidc }, routes: edgeRoutes });
  project = await world.project();
  const expiring = await project.newKey({ expires_in_days: 1 });
  const rotatedLongAgo = await rotate(10);
  oldSession = await signIn(world, { api_key: project.key });
  expiredToken = (await runningRun(world, project)).token;
  await world.clock.pass("48h");

  running = await runningRun(world, project, { timeout_secs: 86_400 });
  rotated = await rotate(60);
  const revoked = await project.newKey();
  await project.api.delete(`/v1/api-keys/${revoked.id}`);
  const gone = await world.project();
  await world.admin.delete(`/v1/projects/${gone.id}`);
  endedKeys = [
    endedKey("an expired key", expiring.key, "key_expired"),
    endedKey("a rotated secret after its grace period", rotatedLongAgo.old, "key_expired"),
    endedKey("a revoked key", revoked.key, "key_revoked"),
    endedKey("a key of a deleted project", gone.key, "key_revoked"),
  ];
});

async function rotate(grace_period_minutes: number) {
  const { id, key } = await project.newKey();
  const response = await project.api.post(`/v1/api-keys/${id}/rotate`, { grace_period_minutes });
  return { old: key, current: response.body.key as string };
}

/** Valid over the days that the clock here passes through. */
function sign(sub: string): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return issuer.sign({ sub, iat: now, exp: now + 30 * 86_400 });
}

function subjectOf(token: string): string {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub;
}

/** Calls each of these routes with each of these credentials, and expects the declared responses. */
async function expectPromisesKept(credentials: Credential[], among: Route[], leastDone = 1) {
  const walk = { wrong: [] as string[], cases: 0, done: 0 };
  for (let at = 0; at < credentials.length; at += CONCURRENCY) {
    const part = await walkRoutes(world.url, among, credentials.slice(at, at + CONCURRENCY));
    walk.wrong.push(...part.wrong);
    walk.cases += part.cases;
    walk.done += part.done;
    await world.clock.pass("61s"); // sessions have a limit per minute
  }
  expect(walk.wrong).toEqual([]);
  expect(credentials.length).toBeGreaterThan(0);
  expect(walk.cases).toBe(among.length * credentials.length);
  expect(walk.done).toBeGreaterThanOrEqual(leastDone);
}

describe("every route with every credential", { timeout: sizeOf(180_000, 1_800_000) }, () => {
  it("covers enough of both", () => {
    expect(routes.length).toBeGreaterThanOrEqual(200);
    expect(ofEachKind.length).toBeGreaterThanOrEqual(10);
    expect(ofEachScope.length).toBeGreaterThanOrEqual(30);
    expect(new Set(ofEachKind.map(({ auth }) => auth.kind)).size).toBe(6);
  });

  it("A1 the internal secret opens every route in either header; a wrong one opens none", async () => {
    const [secret, ...others] = internalCredentials(project, project.key);
    await expectPromisesKept(secret ? [secret] : [], ofEachScope, 10);
    await expectPromisesKept(others, ofEachKind);
  });

  it("A2 without a credential, or with an unknown one, only public routes are open", async () => {
    const [none, ...others] = unknownCredentials();
    await expectPromisesKept(none ? [none] : [], routes);
    await expectPromisesKept(others, ofEachKind);
  });

  it("A10 both secrets of a key work during the grace period of its rotation", async () => {
    const credentials = [
      keyCredential("the old secret", rotated.old),
      keyCredential("the new secret", rotated.current),
    ];
    await expectPromisesKept(credentials, ofEachKind);
  });

  it("A11 A10 an expired, revoked or rotated-out key, and a key of a deleted project, are 401", async () => {
    await expectPromisesKept(endedKeys, ofEachKind);
  });

  it("A11 a key may do exactly what its scopes allow", async () => {
    await expectPromisesKept(await scopedCredentials(project), ofEachScope, 10);
    await expectPromisesKept([keyCredential("a key with all scopes", project.key)], ofEachScope, 10);
  });

  it("A4 a run token opens no route except the SDK routes of its own run", async () => {
    await expectPromisesKept([runCredential("the token of a run", running.token)], ofEachScope);
  });

  it("A4 a run token opens every SDK route of its own run, and an expired one none", async () => {
    const sdkRoutes = routes.filter((route) => route.auth.kind === "run");
    const call = (route: (typeof routes)[number], run: { run_id: string; token: string }) =>
      requestRoute(world.url, route, {
        headers: { authorization: `Bearer ${run.token}` },
        params: { runID: run.run_id },
      });
    await eachOf(sdkRoutes, async (route) => {
      const own = await runningRun(world, project);
      expect(outcomeOf(await call(route, own)), route.path).toBe("admitted");
      const expired = await call(route, { run_id: subjectOf(expiredToken), token: expiredToken });
      expect(outcomeOf(expired), route.path).toBe("run_token_expired");
    });
    expect(sdkRoutes.length).toBeGreaterThanOrEqual(12);
  });

  it("A5 a scoped token opens the routes listed for it, as far as its scopes allow, and no others", async () => {
    const [wide, ...narrow] = await tokenCredentials(project);
    // The routes that accept a token at all are listed explicitly.
    await expectPromisesKept(wide ? [wide] : [], routes);
    await expectPromisesKept(narrow, ofEachScope);
  });

  it("A3 a member may do what the role allows, and a token without a membership gets 404 in any project", async () => {
    // The tests above have created policies for the roles of theirs.
    const unrestricted = await world.project();
    const [first, ...others] = await memberCredentials(unrestricted, sign);
    await expectPromisesKept(first ? [first] : [], ofEachScope, 10);
    await expectPromisesKept(others, ofEachKind);
    const headers = { authorization: `Bearer ${await sign("a-outsider")}`, "x-project-id": unrestricted.id };
    const inProject = ofEachScope.filter((route) => route.auth.kind === "project");
    await eachOf(inProject, async (route) => {
      const response = await requestRoute(world.url, route, { headers });
      expect([response.status, response.body.code], `${route.method} ${route.path}`).toEqual([404, "not_found"]);
    });
    expect(inProject.length).toBeGreaterThanOrEqual(20);
  });

  it("A7 A2 a key that a policy denies everything, and a key of another project, are 403", async () => {
    const credentials = await restrictedCredentials(project, await world.project());
    await expectPromisesKept(credentials, ofEachScope);
  });

  it("A2 a key bound to an environment is admitted, or forbidden where a route is about the whole project", async () => {
    const environment_id = (await project.api.get("/v1/environments/staging")).body.id;
    const { key } = await project.newKey({ environment_id });
    const access = routes.filter(
      (route) => route.auth.kind === "project" && /^(access|audit):/.test(route.auth.scope ?? ""),
    );
    const walked = new Set([...ofEachScope.filter((route) => route.auth.kind === "project"), ...access]);
    const ofAll = new Set<string>();
    await eachOf([...walked], async (route) => {
      const found = outcomeOf(await requestRoute(world.url, route, { headers: { authorization: `Bearer ${key}` } }));
      expect(["admitted", "forbidden"], `${route.method} ${route.path} ${found}`).toContain(found);
      if (found === "forbidden") ofAll.add(`${route.method} ${route.path}`);
    });
    expect(access.filter((route) => !ofAll.has(`${route.method} ${route.path}`))).toEqual([]);
    expect(access.length).toBeGreaterThanOrEqual(20);
  });

  it("A2 a session may do what its key may, and changes nothing when sent from another site", async () => {
    const credentials = await sessionCredentials(world, project);
    const [foreign] = credentials.filter(({ crossSite }) => crossSite);
    await expectPromisesKept(foreign ? [foreign] : [], ofEachScope);
    await expectPromisesKept(
      credentials.filter((each) => each !== foreign),
      ofEachKind,
      10,
    );
  });

  it("A11 a session that ended, or whose key was revoked, is 401", async () => {
    const signedOut = await signIn(world, { api_key: project.key });
    await world.anonymous.delete("/v1/session", { headers: { cookie: signedOut } });
    const key = await project.newKey();
    const ofRevoked = await signIn(world, { api_key: key.key });
    await project.api.delete(`/v1/api-keys/${key.id}`);
    const credentials = [
      endedSession("a session of two days ago", oldSession, "session_expired"),
      endedSession("a session signed out", signedOut, "session_expired"),
      endedSession("a session of a revoked key", ofRevoked, "key_revoked"),
    ];
    await expectPromisesKept(credentials, ofEachKind);
  });
});

describe("?token= instead of the Authorization header", { timeout: 180_000 }, () => {
  it("A5 opens the streaming routes, as that header would, and no other route", async () => {
    const nobody: Pick<Credential, "who"> = { who: { kind: "nobody", code: "unauthorized" } };
    const holder: Pick<Credential, "who"> = { who: { kind: "key", scopes: () => null } };
    const wrong: string[] = [];
    const walked = [...new Set([...ofEachKind, ...routes.filter((route) => route.streams)])];
    await eachOf(walked, async (route) => {
      const found = outcomeOf(await requestRoute(world.url, route, { query: `?token=${project.key}` }));
      const promised = expectedAccess(route, route.streams ? holder : nobody);
      if (found !== promised) wrong.push(`${route.method} ${route.path}: ${promised} promised, ${found}`);
    });
    expect(wrong).toEqual([]);
    expect(walked.filter((route) => route.streams).length).toBeGreaterThanOrEqual(1);
    expect(walked.filter((route) => !route.streams).length).toBeGreaterThanOrEqual(5);
    expect((await world.anonymous.get(`${STREAM}?token=${project.key}`)).status).toBe(200);
    const internal = `${STREAM}?token=${INTERNAL_SECRET}&project_id=${project.id}`;
    expect((await world.anonymous.get(internal)).status).toBe(200);
  });

  it("A5 is ignored if the header is present, valid or not", async () => {
    const good = project.key;
    const headers = (given: Record<string, string>) => ({ headers: given });
    const cases: [string, Record<string, string>, number][] = [
      [good, { authorization: "Bearer junk" }, 401],
      [good, { authorization: "" }, 401],
      [good, { "x-internal-secret": "junk" }, 401],
      [good, { "x-internal-secret": "" }, 401],
      ["junk", { authorization: `Bearer ${good}` }, 200],
      ["junk", { "x-internal-secret": INTERNAL_SECRET, "x-project-id": project.id }, 200],
    ];
    for (const [token, given, status] of cases) {
      const response = await world.anonymous.get(`${STREAM}?token=${token}`, headers(given));
      expect(response.status, `${token.slice(0, 4)} with ${JSON.stringify(given)}`).toBe(status);
    }
  });

  it("A5 takes precedence over a cookie, as a header would", async () => {
    const cookie = await signIn(world, { api_key: project.key });
    expect((await world.anonymous.get(`${STREAM}?token=junk`, { headers: { cookie } })).status).toBe(401);
    const junk = { headers: { cookie: "millrace_session=junk" } };
    expect((await world.anonymous.get(`${STREAM}?token=${project.key}`, junk)).status).toBe(200);
  });

  it.each(["?token=", "?token=junk", "?token", `?token=a&token=b`, "?token[]=a"])("A5 %s is 401", async (query) => {
    expect((await world.anonymous.get(`${STREAM}${query}`)).status).toBe(401);
  });

  it("A5 is limited to its scopes", async () => {
    const narrow = await project.newKey({ scopes: ["jobs:read"] });
    const response = await world.anonymous.get(`${STREAM}?token=${narrow.key}`);
    expect([response.status, response.body.code]).toEqual([403, "scope_missing"]);
  });

  it("A5 is in no response and in no line of the log", async () => {
    const lines: string[] = [];
    const log = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const connections = { work: world.connection, direct: world.connection };
    const service = await openService(world.ctx.config, connections, log, edgeRoutes, LONG_TIMEOUTS);
    const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
    const queries = [`?token=${project.key}`, `?token=${project.key}x`, `?token=${project.key}&token=b`];
    const paths = [STREAM, `${STREAM}/nothing`, "/v1/projects", "/nothing", "/%", `/docs/${"x".repeat(7_000)}`];
    for (const path of paths) {
      for (const query of queries) {
        const response = await fetch(`${url}${path}${query}`);
        expect(await response.text(), path).not.toContain(project.key);
        expect(JSON.stringify([...response.headers])).not.toContain(project.key);
      }
    }
    await service.close();
    expect(lines.filter((line) => line.includes('"request"')).length).toBeGreaterThanOrEqual(12);
    expect(lines.filter((line) => line.includes(project.key))).toEqual([]);
  });
});
