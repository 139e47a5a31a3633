import { Health } from "@millrace/contract/health";
import { answerObject, bodyObject } from "@millrace/contract/schema";
import Type from "typebox";
import { projectRoute, publicRoute, type RouteRow } from "../src/platform/route.ts";

/** What the names of schemas begin with that are no part of the contract. Test files share it with those that read it. */
export const TEST_SCHEMA = "ForTests";

const fine = async () => ({ status: "ok" as const });

const EdgeBody = bodyObject(`${TEST_SCHEMA}Body`, { payload: Type.Optional(Type.Unknown()) }, "Any JSON, for tests.");
const EdgeEcho = answerObject(`${TEST_SCHEMA}Echo`, { payload: Type.Unknown() }, "The JSON as it arrived.");

/** Rows that only tests have: one of each kind that the edge treats in its own way. */
export const edgeRows: RouteRow[] = [
  projectRoute({
    method: "GET",
    path: "/v1/test/stream",
    summary: "A stream",
    scope: "runs:read",
    streams: true,
    answer: Health,
    run: fine,
  }),
  projectRoute({
    method: "POST",
    path: "/v1/test/trigger",
    summary: "A trigger",
    scope: "jobs:trigger",
    limit: "trigger",
    answer: Health,
    run: fine,
  }),
  projectRoute({
    method: "POST",
    path: "/v1/test/bulk-trigger",
    summary: "A bulk trigger",
    scope: "jobs:trigger",
    limit: "bulk_trigger",
    answer: Health,
    run: fine,
  }),
  publicRoute({
    method: "GET",
    path: "/v1/test/keys/{eventKey}",
    summary: "A path parameter as it arrived",
    answer: EdgeEcho,
    run: async (_, { params }) => ({ payload: params.eventKey }),
  }),
  publicRoute({
    method: "POST",
    path: "/v1/test/echo",
    summary: "A body as it arrived",
    body: EdgeBody,
    answer: EdgeEcho,
    run: async (_, { body }) => ({ payload: (body as { payload?: unknown }).payload ?? null }),
  }),
];
