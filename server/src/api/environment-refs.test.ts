import { beforeAll, describe, expect, it } from "vitest";
import type { JsonSchema } from "../../test/requests/sample-body.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import { newId } from "../platform/ids.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

let world: World;
let project: TestProject;
let staging: string;
let production: string;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  const idOf = async (slug: string) => (await project.api.get(`/v1/environments/${slug}`)).body.id;
  [staging, production] = [await idOf("staging"), await idOf("production")];

  await project.api.post("/v1/jobs", { name: "Work", slug: "work", endpoint_url: URL });
  await project.api.post("/v1/workflows", { name: "Flow", slug: "flow", steps: [REST] });
  await project.api.post("/v1/event-sources", { name: "Source", slug: "source" });
});

const URL = "https://example.com/";
const REST = { step_ref: "rest", type: "sleep", sleep_duration: "1s" };

/** Objects created with an environment, with a minimal body; those with an id of their own are updated with it. */
const KEPT: [string, Record<string, unknown>, string?][] = [
  ["/v1/jobs", { name: "n", endpoint_url: URL }, "/v1/jobs/{jobID}"],
  ["/v1/workflows", { name: "n", steps: [REST] }, "/v1/workflows/{workflowID}"],
  ["/v1/schedules", { job_id: "work", cron: "@daily" }, "/v1/schedules/{scheduleID}"],
  ["/v1/api-keys", { name: "n" }],
  ["/v1/log-drains", { name: "n", url: URL }, "/v1/log-drains/{logDrainID}"],
  ["/v1/webhook-subscriptions", { url: URL, events: ["*"] }, "/v1/webhook-subscriptions/{subscriptionID}"],
  ["/v1/alert-rules", { name: "n", kind: "failure_rate" }, "/v1/alert-rules/{alertRuleID}"],
  ["/v1/event-sources/source/subscriptions", { job_id: "work" }],
  ["/v1/jobs/work/trigger", {}],
  ["/v1/workflows/flow/trigger", {}],
];

/** Requests that name an environment without storing it. */
const ASKED: [string, Record<string, unknown>][] = [["/v1/alert-rules/preview", { name: "n", kind: "failure_rate" }]];

describe("environment_id of a body", () => {
  it.each(KEPT)("of POST %s accepts a slug, and the id is stored", async (path, body) => {
    const named = await project.api.post(path, { ...body, environment_id: "staging" });
    expect([named.status, named.body.environment_id]).toEqual([201, staging]);
    const byId = await project.api.post(path, { ...body, environment_id: staging });
    expect([byId.status, byId.body.environment_id]).toEqual([201, staging]);
  });

  it.each([...KEPT, ...ASKED])(
    "of POST %s is refused if it does not exist, both as a slug and as an id",
    async (path, body) => {
      for (const environment_id of ["nowhere", newId()]) {
        const refused = await project.api.post(path, { ...body, environment_id });
        const message = "is not an environment of this project";
        expect([refused.status, refused.body.errors]).toEqual([
          422,
          [{ location: "body.environment_id", message, value: environment_id }],
        ]);
      }
    },
  );

  it.each(KEPT.filter(([, , path]) => path !== undefined))(
    "of an object created by POST %s can be changed with a slug; the slug of the current environment changes nothing",
    async (path, body) => {
      const { id } = (await project.api.post(path, { ...body, environment_id: "staging" })).body;
      const change = (environment_id: string) => project.api.patch(`${path}/${id}`, { environment_id });
      const moved = await change("production");
      expect([moved.status, moved.body.environment_id]).toEqual([200, production]);
      await world.clock.pass("1m");
      const same = await change("production");
      expect([same.status, same.body]).toEqual([200, moved.body]);
      const refused = await change("nowhere");
      expect([refused.status, refused.body.errors[0].message]).toEqual([422, "is not an environment of this project"]);
    },
  );

  it("is tested here for every route that accepts one", () => {
    const takes = ({ body }: Route) => "environment_id" in ((body as JsonSchema | undefined)?.properties ?? {});
    const tried = [...KEPT, ...ASKED].flatMap(([path, , change]) => [
      `POST ${path}`,
      ...(change ? [`PATCH ${change}`] : []),
    ]);
    const triedOf = ({ method, path }: Route) => {
      const form = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, "[\\w{}]+")}$`);
      return tried.filter((each) => form.test(each));
    };
    const untried = allRoutes.filter((route) => takes(route) && triedOf(route).length === 0);
    expect(untried.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });
});
