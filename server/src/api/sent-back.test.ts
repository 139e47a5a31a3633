import { isMoving } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { idsIn } from "../../test/requests/path-ids.ts";
import { type JsonSchema, resolve } from "../../test/requests/sample-body.ts";
import { makeJob } from "../../test/seed/make-workflow.ts";
import { type Client, makeClient } from "../../test/world/client.ts";
import { runSql } from "../../test/world/database.ts";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";
import { changesShown, shownBy } from "./build-api.ts";

type Fields = Record<string, unknown>;

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

/** Every route that changes what another shows: new ones are tested automatically. SCIM follows its RFC instead. */
const routes = allRoutes.filter(({ method, path }) => changesShown(method) && !path.startsWith("/scim/"));
const nameOf = ({ method, path }: Route) => `${method} ${path}`;
function routeNamed(name: string): Route {
  const route = routes.find((candidate) => nameOf(candidate) === name);
  if (!route) throw new Error(name);
  return route;
}

/** Values for fields that are empty in a new project: an empty object would be accepted whatever its schema. */
const FILLED: Record<string, () => Promise<Fields>> = {
  "/v1/jobs/{jobID}/dependencies": async () => ({
    dependencies: [
      { job_id: (await makeJob(project)).id, condition: "ended" },
      { job_id: (await makeJob(project)).id },
    ],
  }),
  "/v1/project-budget": async () => ({ monthly_budget_microusd: 5_000, action: "block", thresholds: [90, 10] }),
  "/v1/project-config": async () => ({
    revision: (await read("/v1/project-config")).revision,
    objects: [{ owner: "shop", kind: "job", key: "mail" }],
  }),
  "/v1/workflow-policies/{projectID}": async () => ({ max_depth: 40, forbidden_step_types: ["approval"] }),
  "/v1/usage/email-preferences": async () => ({ monthly_usage_email: true, email: "ada@example.com" }),
};

/** One field of each object, with another value. */
const EDITS: [string, Fields][] = [
  ["weight", { weight: 7 }],
  ["name", { name: "Edited" }],
  ["priority", { priority: 7 }],
  ["traffic_pct", { traffic_pct: 7 }],
  ["max_depth", { max_depth: 41 }],
  ["action", { action: "notify" }],
  ["dependencies", { dependencies: [] }],
  ["objects", { objects: [] }],
  ["monthly_usage_email", { monthly_usage_email: false }],
  ["description", { description: "Edited" }],
  ["enabled", { enabled: false }],
];

async function placeOf(route: Route): Promise<string> {
  const ids = await idsIn(world.connection, project, route);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => ids[param] ?? "");
  const filled = await FILLED[route.path]?.();
  if (filled) expect((await project.api.put(path, filled)).status).toBe(200);
  return path;
}

async function read(path: string, api: Client = project.api): Promise<Fields> {
  const { status, body } = await api.get(path);
  expect(status).toBe(200);
  return body;
}

async function countAudited(): Promise<unknown> {
  const statement = "select count(*)::int as events from audit_events where project_id = $1";
  return (await runSql(world.connection, statement, [project.id]))[0];
}

function readOnlyOf(route: Route, body: Fields): string[] {
  const writable = (route.body as unknown as { properties: Fields }).properties;
  // Where the path names no object, project_id selects the project, and another project's is 403.
  const namesProject = route.auth.kind === "project" && route.auth.found_by === undefined;
  const others = Object.keys(body).filter((field) => field !== "$schema" && !(field in writable));
  const shown = propertiesOf(shownBy(allRoutes, route)?.response);
  return others.filter((field) => !isMoving(shown[field]) && (field !== "project_id" || !namesProject));
}

function movingOf(route: Route): string[] {
  const shown = propertiesOf(shownBy(allRoutes, route)?.response);
  return Object.keys(shown).filter((field) => field !== "$schema" && isMoving(shown[field]));
}

/** The fields of the GET response that the body has. */
function writableOf(route: Route, body: Fields): Fields {
  const writable = (route.body as unknown as { properties: Fields }).properties;
  return Object.fromEntries(Object.entries(body).filter(([field]) => field in writable));
}

describe("GET, edit, PUT or PATCH", () => {
  it("O7 every route that changes an object has one that shows it", () => {
    expect(routes.filter((route) => !shownBy(allRoutes, route)).map(nameOf)).toEqual([]);
    expect(routes.length).toBeGreaterThanOrEqual(19);
  });

  it.each(routes.map(nameOf))("O7 %s accepts what GET returned: nothing is changed, nothing audited", async (name) => {
    const route = routeNamed(name);
    const path = await placeOf(route);
    const [before, recorded] = [await read(path), await countAudited()];
    await world.clock.pass("1m");
    const response = await project.api.send(route.method, path, before);
    expect(response.status, response.text).toBe(200);
    expect(await read(path)).toEqual(before);
    expect(await countAudited()).toEqual(recorded);
  });

  it.each(routes.map(nameOf))(
    "O7 %s accepts it with one field edited, from a key and with the secret",
    async (name) => {
      const route = routeNamed(name);
      const path = await placeOf(route);
      const secret = makeClient(world.url, { "x-internal-secret": INTERNAL_SECRET, "x-project-id": project.id });
      for (const client of [project.api, secret]) {
        const body = await read(path, client);
        const edit = EDITS.find(([field]) => field in body)?.[1];
        if (!edit) throw new Error(`no edit for ${Object.keys(body)}`);
        const response = await client.send(route.method, path, { ...body, ...edit });
        expect(response.status, response.text).toBe(200);
        const { updated_at, updated_by, revision, ...after } = await read(path, client);
        expect({ ...body, ...edit }).toMatchObject(after);
      }
    },
  );

  it.each(routes.map(nameOf))("O7 %s refuses each changed read-only field with its location", async (name) => {
    const route = routeNamed(name);
    const path = await placeOf(route);
    const body = await read(path);
    const readOnly = readOnlyOf(route, body);
    if (route.path === "/v1/project-budget") return expect(readOnly).toEqual([]); // all of them are counters that change
    expect(readOnly).not.toEqual([]);
    const all = Object.fromEntries(readOnly.map((field) => [field, "changed"]));
    const { status, body: problem } = await project.api.send(route.method, path, { ...body, ...all });
    expect([status, problem.code]).toEqual([422, "read_only_field"]);
    const issues = problem.errors as { location: string; value: unknown }[];
    expect(issues.map(({ location }) => location).toSorted()).toEqual(
      readOnly.map((field) => `body.${field}`).toSorted(),
    );
    expect(new Set(issues.map(({ value }) => value))).toEqual(new Set(["changed"]));
    expect(await read(path)).toEqual(body);
  });

  const counting = routes.filter((route) => movingOf(route).length > 0).map(nameOf);

  it.each(counting)("O7 %s accepts it although counters have changed since", async (name) => {
    const route = routeNamed(name);
    const path = await placeOf(route);
    const [before, recorded] = [await read(path), await countAudited()];
    const moved = Object.fromEntries(movingOf(route).map((field) => [field, "as it was"]));
    const response = await project.api.send(route.method, path, { ...before, ...moved });
    expect(response.status, response.text).toBe(200);
    expect(await read(path)).toEqual(before);
    expect(await countAudited()).toEqual(recorded);
  });

  it.each(counting)("O7 %s refuses a read-only counter sent alone", async (name) => {
    const route = routeNamed(name);
    const path = await placeOf(route);
    for (const field of movingOf(route)) {
      const response = await project.api.send(route.method, path, {
        ...writableOf(route, await read(path)),
        [field]: "set",
      });
      expect([response.status, response.body.code, response.body.errors?.[0]?.location]).toEqual([
        422,
        "read_only_field",
        `body.${field}`,
      ]);
    }
  });

  it("O7 counters that change by themselves are marked", () => {
    const marked = routes
      .map((route) => [nameOf(route), movingOf(route)] as const)
      .filter(([, fields]) => fields.length > 0);
    expect(Object.fromEntries(marked)).toEqual({
      "PATCH /v1/resource-policies/{policyID}": ["matches_anything"],
      "PATCH /v1/tag-policies/{policyID}": ["matches_anything"],
      "PATCH /v1/runs/{runID}": ["attempt", "tries_used", "progress", "cost_microusd", "started_at"],
      "PATCH /v1/queues/{queueName}": [
        ...["jobs", "depth", "oldest_age_secs", "in_flight", "workers", "started_per_minute", "ended_per_minute"],
      ],
      "PATCH /v1/event-sources/{sourceID}": ["previous_secret_expires_at"],
      "PATCH /v1/schedules/{scheduleID}": ["next_fire_at", "last_fired_at", "last_run_id"],
      "PATCH /v1/workflows/{workflowID}": [
        "active_runs_on_previous_version",
        "previous_version_id",
        "inactive_version_id",
      ],
      "PATCH /v1/workflows/{workflowID}/canary": ["metrics"],
      "PATCH /v1/webhook-subscriptions/{webhookSubscriptionID}": [
        "consecutive_failures",
        "last_delivered_at",
        "filter_errors",
        "last_filter_error",
        "last_filter_error_at",
      ],
      "PATCH /v1/log-drains/{drainID}": [
        "state",
        "oldest_unsent_at",
        "consecutive_failures",
        "next_attempt_at",
        "last_status_code",
        "last_error",
        "last_delivered_at",
        "delivered_count",
        "dropped_count",
        "refused_count",
      ],
      "PATCH /v1/outbox-sources/{outboxSourceID}": [
        "state",
        "consecutive_failures",
        "failing_since",
        "next_attempt_at",
        "last_error",
        "last_drained_at",
        "drained_count",
        "refused_count",
      ],
      "PATCH /v1/alert-rules/{alertRuleID}": ["silenced_until", "state", "state_since", "value", "alert_id"],
      "PUT /v1/project-budget": [
        "period_starts_at",
        "period_ends_at",
        "settled_microusd",
        "reserved_microusd",
        "remaining_microusd",
        "raised_thresholds",
        "blocked_at",
      ],
    });
  });

  it.each(routes.map(nameOf))("O7 %s still refuses a field unknown to both", async (name) => {
    const route = routeNamed(name);
    const path = await placeOf(route);
    const body = await read(path);
    const response = await project.api.send(route.method, path, { ...body, nome: "x", $schema: "anything" });
    expect([response.status, response.body.code]).toEqual([422, "validation_failed"]);
    expect(response.body.errors).toMatchObject([{ location: "body.nome", value: "x" }]);
  });

  it.each(routes.map(nameOf))("O7 %s accepts every nested field of the objects it takes", (name) => {
    const route = routeNamed(name);
    expect(unknownWithin(shownBy(allRoutes, route)?.response, route.body)).toEqual([]);
  });
});

/** The nested fields that the response has and a strict body does not: only top-level ones are removed. */
function unknownWithin(response: unknown, body: unknown): string[] {
  const [shown, taken] = [propertiesOf(response), propertiesOf(body)];
  return Object.keys(shown)
    .filter((name) => name in taken)
    .flatMap((name) => unknownAt(name, shown[name] ?? {}, taken[name] ?? {}));
}

function unknownAt(place: string, response: JsonSchema, body: JsonSchema): string[] {
  const [shown, taken] = [propertiesOf(response), propertiesOf(body)];
  const isStrict = resolve(body).additionalProperties === false && Object.keys(taken).length > 0;
  const unknown = isStrict ? Object.keys(shown).filter((name) => !(name in taken)) : [];
  const deeper = Object.keys(shown).filter((name) => name in taken);
  return [
    ...unknown.map((name) => `${place}.${name}`),
    ...deeper.flatMap((name) => unknownAt(`${place}.${name}`, shown[name] ?? {}, taken[name] ?? {})),
  ];
}

/** Of the object, or of the objects in the list. */
function propertiesOf(schema: unknown): Record<string, JsonSchema> {
  if (schema === undefined) return {};
  const { items, properties } = resolve(schema as JsonSchema);
  return items ? propertiesOf(items) : (properties ?? {});
}
