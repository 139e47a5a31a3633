import { bodyObject, responseObject } from "@millrace/contract/schema/schema";
import { Health } from "@millrace/contract/service/health";
import Type from "typebox";
import { projectRoute, publicRoute, type Route } from "../../src/platform/route.ts";

/** Prefix of schema names that are not part of the contract. Shared with the test files that read them. */
export const TEST_SCHEMA = "ForTests";

const fine = async () => ({ status: "ok" as const });

const EdgeBody = bodyObject(`${TEST_SCHEMA}Body`, { payload: Type.Optional(Type.Unknown()) }, "Any JSON, for tests.");
const EdgeEcho = responseObject(`${TEST_SCHEMA}Echo`, { payload: Type.Unknown() }, "The JSON as it arrived.");

/** Routes that exist only in tests: one of each kind that the API layer treats differently. */
export const edgeRoutes: Route[] = [
  projectRoute("GET /v1/test/stream", {
    summary: "A stream",
    scope: "runs:read",
    streams: true,
    response: Health,
    run: fine,
  }),
  projectRoute("POST /v1/test/trigger", {
    summary: "A trigger",
    scope: "jobs:trigger",
    limit: "trigger",
    response: Health,
    run: fine,
  }),
  projectRoute("POST /v1/test/bulk-trigger", {
    summary: "A bulk trigger",
    scope: "jobs:trigger",
    limit: "bulk_trigger",
    response: Health,
    run: fine,
  }),
  publicRoute("GET /v1/test/keys/{eventKey}", {
    summary: "A path parameter as it arrived",
    response: EdgeEcho,
    run: async (_, { params }) => ({ payload: params.eventKey }),
  }),
  publicRoute("POST /v1/test/echo", {
    summary: "A body as it arrived",
    body: EdgeBody,
    response: EdgeEcho,
    run: async (_, { body }) => ({ payload: (body as { payload?: unknown }).payload ?? null }),
  }),
];
