import { SCOPES } from "@millrace/contract/access/scopes";
import { receiptsOf } from "@millrace/contract/schema/receipts";
import { beforeAll, describe, expect, it } from "vitest";
import { AUDIENCE, type OidcIssuer, oidcIssuer } from "../../../test/outside/oidc-issuer.ts";
import { bearer } from "../../../test/requests/access-credentials.ts";
import { idsIn } from "../../../test/requests/path-ids.ts";
import { signIn } from "../../../test/requests/session-credentials.ts";
import { eachOf, requestRoute } from "../../../test/requests/walk-routes.ts";
import { oneOfEachScope } from "../../../test/seed/one-of-each.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import type { ClientResponse } from "../../../test/world/client.ts";
import { runSql } from "../../../test/world/database.ts";
import { isWholeSize, sizeOf } from "../../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import type { Route } from "../../platform/route.ts";
import { allRoutes } from "../all-routes.ts";
import { receiptsFor } from "./write-receipts.ts";

type Headers = Record<string, string>;
/** How a caller is denied reading in a project. Undefined: it does not apply to this route. */
type Denied = (route: Route, params: Record<string, string>) => Headers | undefined;

const SENTINEL = "sentinel-0c9f1d";
const READS = SCOPES.filter((scope) => scope.endsWith(":read"));
const scopeOf = ({ auth }: Route) => ("scope" in auth ? auth.scope : undefined);
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
const writes = allRoutes.filter(
  ({ method, auth, response }) => method !== "GET" && response && (auth.kind === "project" || auth.kind === "caller"),
);
const receipted = writes.filter((route) => receiptsFor(route, route.response).length > 0);
const reading = allRoutes.filter((route) => route.method === "GET" && route.auth.kind === "project" && scopeOf(route));
const READABLE = READS.map((scope) => scope as string);

/** Responses of writes without stored content: ids, states and counts, or secrets just created. */
const REVEAL_NOTHING = new Set([
  ...["BulkTriggerResult", "BulkCancelRunsResult", "BulkReplayRunsResult", "BulkCancelWorkflowRunsResult"],
  ...["BulkRetryDeliveriesResult", "MemberResults", "EventsPurged", "LogDrainTest"],
  ...["EventSourceSecret", "WebhookSecret", "TotpSecret", "Token", "Empty", "WorkerHeartbeat", "WorkerDrained"],
]);

let world: World;
let issuer: OidcIssuer;
let columns: { table_name: string; column_name: string; data_type: string }[];
beforeAll(async () => {
  issuer = await oidcIssuer();
  world = await makeWorld({ config: { oidc: { issuer: issuer.issuer, audience: AUDIENCE } } });
  columns = await runSql(
    world.connection,
    `select c.table_name, c.column_name, c.data_type from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('jsonb', 'text')
       and c.column_name in ('payload', 'metadata', 'tags', 'result', 'output', 'description', 'name', 'message')
       and exists (select 1 from information_schema.columns p
         where p.table_schema = 'public' and p.table_name = c.table_name and p.column_name = 'project_id')
       and c.table_name not in ('members', 'roles', 'api_keys')
       and (c.table_name, c.column_name) <> ('queues', 'name')`,
  );
});

/** Text that must not be shown, planted in all stored content. */
async function plant(project_id: string): Promise<void> {
  for (const { table_name, column_name, data_type } of columns) {
    const value = data_type === "jsonb" ? JSON.stringify({ hidden: SENTINEL }) : SENTINEL;
    await runSql(world.connection, `update ${table_name} set ${column_name} = $2 where project_id = $1`, [
      project_id,
      value,
    ]);
  }
}

type Called = { route: Route; params: Record<string, string>; response: ClientResponse };

/** Calls each of these routes on objects that contain the text; `deny` receives their ids before the calls. */
async function callAll(
  project: TestProject,
  routes: readonly Route[],
  deny: (params: Record<string, string>[]) => Promise<Denied>,
): Promise<Called[]> {
  const params = await Promise.all(routes.map((route) => idsIn(world.connection, project, route)));
  await plant(project.id);
  const denied = await deny(params);
  const called: Called[] = [];
  await eachOf([...routes.entries()], async ([at, route]) => {
    const own = params[at] ?? {};
    const headers = denied(route, own);
    if (headers)
      called.push({ route, params: own, response: await requestRoute(world.url, route, { headers, params: own }) });
  });
  return called;
}

function expectHidden(called: readonly Called[], leastDone: number): void {
  const wrong = called.flatMap(({ route, response }) => {
    if (response.text.includes(SENTINEL))
      return [`${nameOf(route)} shows what is hidden: ${response.text.slice(0, 200)}`];
    if (response.status >= 300 || route.method === "GET") return [];
    const receipts = [route.response, ...Object.values(route.otherResponses ?? {})].flatMap((each) => receiptsOf(each));
    const fields = Object.keys(response.body ?? {});
    const isOne = receipts.some(({ schema }) => fields.every((name) => name in schema.properties));
    return isOne ? [] : [`${nameOf(route)} returns ${fields.join(", ")}`];
  });
  expect(wrong).toEqual([]);
  expect(called.filter(({ response }) => response.status < 300).length).toBeGreaterThanOrEqual(leastDone);
}

/** One key for each scope of these routes, with no other. */
async function keysByScope(project: TestProject, routes: readonly Route[]): Promise<Map<string, string>> {
  const scopes = [...new Set(routes.map((route) => scopeOf(route) ?? ""))];
  return new Map(
    await Promise.all(scopes.map(async (scope) => [scope, (await project.newKey({ scopes: [scope] })).key] as const)),
  );
}

/**
 * A part of the routes: who may read is decided for all of them by the same code, which the test of keys runs on each.
 * The soak suite takes all.
 */
function someOf(nth: number, parts: number): Route[] {
  return receipted.filter((_, at) => isWholeSize() || at % parts === nth);
}

describe("content a caller may not read", { timeout: 120_000 }, () => {
  it("is declared for every write that returns an object", () => {
    const undeclared = writes
      .filter((route) => receiptsOf(route.response).length === 0)
      .map((route) => (route.response as { $id?: string }).$id ?? "")
      .filter((name) => !REVEAL_NOTHING.has(name));
    const open = writes.filter(
      (route) => receiptsOf(route.response).length > 0 && receiptsFor(route, route.response).length === 0,
    );
    expect(undeclared.filter((name) => !READ_BY_THEIR_SCOPE.has(name))).toEqual([]);
    expect(open.map(scopeOf).every((scope) => READABLE.includes(scope ?? ""))).toBe(true);
    expect(receipted.length).toBeGreaterThanOrEqual(60);
  });

  it("is shown to callers who may read it: the planted text would be found", async () => {
    const project = await world.project();
    const { key } = await project.newKey();
    const called = await callAll(project, someOf(0, 3), async () => () => bearer(key));
    const shown = called.filter(({ response }) => response.text.includes(SENTINEL));
    expect(shown.length).toBeGreaterThanOrEqual(sizeOf(8, 25));
  });

  it("is not shown to a key that has only the scope of the write", async () => {
    const project = await world.project();
    const keys = await keysByScope(project, receipted);
    const called = await callAll(
      project,
      receipted,
      async () => (route) => bearer(keys.get(scopeOf(route) ?? "") ?? ""),
    );
    expectHidden(called, 45);
  });

  it("is not shown to a session of such a key, nor to a member whose role has no more", async () => {
    const project = await world.project();
    const [ofSessions, ofMembers] = [someOf(1, 6), someOf(4, 6)];
    const keys = await keysByScope(project, [...ofSessions, ...ofMembers]);
    const cookies = new Map<string, string>();
    const tokens = new Map<string, string>();
    for (const [scope, api_key] of keys) {
      cookies.set(scope, await signIn(world, { api_key }));
      const role = await project.api.post("/v1/roles", { name: `Only ${scope}`, permissions: [scope] });
      await project.api.post("/v1/members", { subject: scope, role_id: role.body.id });
      tokens.set(scope, await issuer.sign({ sub: scope }));
    }
    const cookieOf = (route: Route) => ({ cookie: cookies.get(scopeOf(route) ?? "") ?? "", origin: world.url });
    expectHidden(await callAll(project, ofSessions, async () => cookieOf), sizeOf(5, 45));
    const memberOf = (route: Route) => ({
      ...bearer(tokens.get(scopeOf(route) ?? "") ?? ""),
      "x-project-id": project.id,
    });
    expectHidden(await callAll(project, ofMembers, async () => memberOf), sizeOf(5, 45));
  });

  it("is not shown where a policy denies reading the object, by its id or all of its kind", async () => {
    for (const whole of [true, false]) {
      const project = await world.project();
      const { id, key } = await project.newKey();
      const policy = { effect: "deny", actions: READS, subject: `api_key:${id}` };
      const some = someOf(whole ? 1 : 3, 4);
      const called = await callAll(project, some, async (params) => {
        const places = some.flatMap((route, at) => placeOf(route, params[at] ?? {}));
        // By id, environments are left out: a policy on one would hide nearly all other objects.
        const named = whole ? places.map(({ type }) => ({ type, id: "*" })) : places.filter((each) => isAlone(each));
        for (const place of new Map(named.map((each) => [`${each.type} ${each.id}`, each])).values()) {
          const body = { ...policy, resource_type: place.type, resource_id: place.id };
          expect((await project.api.post("/v1/resource-policies", body)).status).toBe(201);
        }
        return (route, own) => (placeOf(route, own).some((each) => whole || isAlone(each)) ? bearer(key) : undefined);
      });
      expectHidden(called, sizeOf(5, 25));
    }
  });

  it("is not shown where a policy denies reading by a tag", async () => {
    const project = await world.project();
    const { id, key } = await project.newKey();
    const called = await callAll(project, receipted.filter(isTagged), async () => {
      const body = { effect: "deny", actions: READS, subject: `api_key:${id}`, tag_key: "hidden" };
      expect((await project.api.post("/v1/tag-policies", body)).status).toBe(201);
      return (_row, own) => (Object.keys(own).length > 0 ? bearer(key) : undefined);
    });
    expectHidden(called, 20);
  });

  it("cannot be read either, by any of these, and a run token opens nothing here", async () => {
    const project = await world.project();
    const keys = await keysByScope(project, reading);
    const { token } = await runningRun(world, project);
    const wrongScope = (route: Route) =>
      bearer(keys.get(scopeOf(route) === "runs:read" ? "jobs:read" : "runs:read") ?? "");
    // What a scope opens is a rule of the gate, which the access tests check.
    const some = oneOfEachScope(reading);
    for (const denied of [wrongScope, () => bearer(token)]) {
      const called = await callAll(project, some, async () => denied);
      expect(called.filter(({ response }) => response.status < 300).map(({ route }) => nameOf(route))).toEqual([]);
      expectHidden(called, 0);
    }
  });
});

/** Responses of routes that require the reading scope itself. */
const READ_BY_THEIR_SCOPE = new Set([
  ...["EventTested", "WorkflowPlan", "WorkflowSimulation", "ShadowReport", "AccessDecision", "RetriedRows"],
]);

const TYPES: Record<string, string> = {
  environments: "environment",
  api_keys: "api_key",
  jobs: "job",
  runs: "run",
  workflows: "workflow",
  workflow_runs: "workflow_run",
  schedules: "schedule",
  webhook_deliveries: "webhook_delivery",
  webhook_subscriptions: "webhook_subscription",
  log_drains: "log_drain",
  batch_operations: "batch_operation",
};

/** The name in a policy that denies reading what the route returns. */
function placeOf(route: Route, params: Record<string, string>): { type: string; id: string }[] {
  const { found_by } = route.auth.kind === "project" ? route.auth : { found_by: undefined };
  const type = TYPES[found_by?.table ?? ""];
  const id = params[found_by?.param ?? ""];
  return type === undefined || id === undefined ? [] : [{ type, id }];
}

/** For a schedule its own responses are hidden, but not the runs it starts. */
function isAlone({ type }: { type: string }): boolean {
  return type !== "environment" && type !== "schedule";
}

function isTagged(route: Route): boolean {
  const { found_by } = route.auth.kind === "project" ? route.auth : { found_by: undefined };
  return ["jobs", "runs", "workflows", "workflow_runs"].includes(found_by?.table ?? "");
}
