import { Health } from "@millrace/contract/health";
import { answerObject, bodyObject } from "@millrace/contract/schema";
import Type from "typebox";
import { projectRoute, publicRoute, type RouteRow } from "../src/platform/route.ts";

const fine = async () => ({ status: "ok" as const });

const EdgeBody = bodyObject("EdgeBody", { payload: Type.Optional(Type.Unknown()) }, "Any JSON, for tests.");
const EdgeEcho = answerObject("EdgeEcho", { payload: Type.Unknown() }, "The JSON as it arrived.");

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
