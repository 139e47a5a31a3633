import { Me } from "@millrace/contract/access/me";
import { describe, expect, it } from "vitest";
import { callerRoute, projectRoute, publicRoute, type Route } from "./route.ts";

const address = "GET /v1/things/{thingID}";
const row = { summary: "A thing" };

describe("a route", () => {
  it("does not compile without declaring who may call it", () => {
    // @ts-expect-error a route of a project names its scope
    projectRoute(address, { ...row, run: async () => undefined });
    // @ts-expect-error there is no such scope
    projectRoute(address, { ...row, scope: "things:read", run: async () => undefined });
    // @ts-expect-error a route is made by one of the constructors, each of which declares `auth`
    const bare: Route = { ...row, method: "GET", path: "/v1/things", status: 200, run: async () => undefined };
    expect(bare).toBeDefined();
  });

  it("passes its handler the parameters of its path and nothing else", () => {
    projectRoute(address, { ...row, scope: "jobs:read", run: async (_, { params }) => params.thingID });
    // @ts-expect-error the path has no such parameter
    projectRoute(address, { ...row, scope: "jobs:read", run: async (_, { params }) => params.otherID });
    // @ts-expect-error a public route has no caller
    publicRoute(address, { ...row, run: async (ctx) => ctx.caller.name });
    // @ts-expect-error there is no such method
    publicRoute("GRAB /v1/things", { ...row, run: async () => undefined });
    // @ts-expect-error the response is not what the route declares
    callerRoute(address, { ...row, response: Me, run: async () => ({ kind: "api_key" as const }) });
  });

  it("returns 204 without a response body, 200 with one, or the status it declares", () => {
    const statusOf = (fields: object) =>
      publicRoute(address, { ...row, ...fields, run: async () => undefined as never }).status;
    expect(statusOf({})).toBe(204);
    expect(statusOf({ response: Me })).toBe(200);
    expect(statusOf({ produces: "text/plain" })).toBe(200);
    expect(statusOf({ response: Me, status: 201 })).toBe(201);
  });
});
