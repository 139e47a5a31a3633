import { namedSchemas } from "@millrace/contract/schema/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { openDocumentCheck } from "../../test/openapi/document-check.ts";
import { openSchemaCheck, type SchemaCheck } from "../../test/requests/schema-check.ts";
import { sendValidRequest } from "../../test/requests/send-valid-request.ts";
import { isWholeSize } from "../../test/world/size.ts";
import { makeWorld, type TestProject, type World } from "../../test/world/world.ts";
import type { Route } from "../platform/route.ts";
import { allRoutes } from "./all-routes.ts";

let world: World;
let project: TestProject;
/** The project that the test over all routes changes: its keys are rotated. */
let walked: TestProject;
let schemas: SchemaCheck;
let undocumented: ReturnType<typeof openDocumentCheck>;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
  walked = await world.project();
  schemas = openSchemaCheck();
  undocumented = openDocumentCheck((await world.anonymous.get("/openapi.json")).body);
});

// Setting the e-mail preferences returns exactly `{}`, without a `$schema`.
const responding = allRoutes.filter((route) => route.response !== undefined && responseName(route) !== "Empty");
const nameOf = (route: Route) => `${route.method} ${route.path}`;
function responseName({ response }: Route): string | undefined {
  return (response as { $id?: string } | undefined)?.$id;
}

describe("the $schema of a response", () => {
  it("is tested on enough routes", () => {
    expect(responding.length).toBeGreaterThanOrEqual(150);
  });

  it.each(responding.map(nameOf))(
    "O7 of %s refers to a schema that the response matches, as it matches the OpenAPI document",
    async (name) => {
      const route = responding.find((candidate) => nameOf(candidate) === name);
      if (!route) throw new Error(name);
      const response = await sendValidRequest(world, walked, route);
      // A sign-in needs a credential, an account, a transfer and a personal key their person, an invitation its token, the session's own routes a session, a schedule and a step a job, a callback its
      // token, a sleep a duration, a capsule its hash, a workflow no canary yet, a token a key, an event its source, a
      // subscription its target, a source a signature, an outbox source its database, and a backfill past times: they
      // return a problem here.
      const isRefused =
        /^\/v1\/(session|account|schedules$|events\/callback|members\/invitations\/accept)|\/sleep$/.test(route.path) ||
        name === "POST /v1/members/transfer" ||
        name === "POST /v1/api-keys/personal" ||
        name === "POST /v1/workflows" ||
        name === "POST /v1/tokens" ||
        name === "POST /v1/events/dispatch" ||
        name === "POST /v1/event-sources/{sourceID}/inbound" ||
        name === "POST /v1/event-sources/{sourceID}/secret/rotate" ||
        name === "POST /v1/event-sources/{sourceID}/subscriptions" ||
        name === "POST /v1/outbox-sources" ||
        /^\/v1\/outbox-sources\/.*\/(refused|retry)$/.test(route.path) ||
        name === "POST /v1/schedules/{scheduleID}/backfill" ||
        name === "POST /v1/workflow-runs/capsules" ||
        name === "POST /v1/workflows/{workflowID}/canary";
      if (!isRefused) expect(response.status, response.text).toBe(route.status);
      expect([...(await schemas.issuesOf(response.body)), ...undocumented(route, response)]).toEqual([]);
      expect(response.body.$schema).toMatch(new RegExp(`^${world.url}/schemas/\\w+\\.json$`));
    },
  );

  it("O7 of a session too", async () => {
    const started = await world.admin.post("/v1/session", { api_key: project.key });
    const cookie = started.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect([started.status, await schemas.issuesOf(started.body)]).toEqual([201, []]);
    const read = await world.anonymous.get("/v1/session", { headers: { cookie } });
    expect([read.status, await schemas.issuesOf(read.body)]).toEqual([200, []]);
  });

  // A test of `GET /schemas/{name}` checks that each is served and refers to others that are.
  it.runIf(isWholeSize())("O7 refers to a valid JSON Schema for every name", async () => {
    for (const name of namedSchemas.keys()) {
      // Compiling it resolves every reference; its verdict on this object does not matter.
      await schemas.issuesOf({ $schema: `${world.url}/schemas/${name}.json` });
    }
    expect(namedSchemas.size).toBeGreaterThanOrEqual(20);
  });
});
