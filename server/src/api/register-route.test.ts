import { bodyObject, responseObject } from "@millrace/contract/schema/schema";
import Type from "typebox";
import { describe, expect, it } from "vitest";
import { TEST_SCHEMA } from "../../test/requests/edge-routes.ts";
import { makeWorld } from "../../test/world/world.ts";
import { publicRoute } from "../platform/route.ts";

const fields = { few: Type.Integer({ maximum: 3 }), even: Type.Optional(Type.Integer()) };

/** A public route that must not run with a body that its schema refuses. */
function route(ran: unknown[]) {
  return publicRoute("POST /v1/test/beside", {
    summary: "Semantic validation, for tests",
    body: bodyObject(`${TEST_SCHEMA}Beside`, fields, "Two numbers, for tests."),
    semanticValidation: ({ even }, { project }) =>
      even === undefined || even % 2 === 0
        ? []
        : [{ location: "body.even", message: `is odd, ${project ? "in" : "outside of"} a project`, value: even }],
    response: responseObject(`${TEST_SCHEMA}Besides`, { few: Type.Integer() }, "One of them."),
    run: async (_, { body }) => {
      ran.push(body);
      return { few: body.few };
    },
  });
}

describe("a route with semantic validation", () => {
  it("does not run with a body that its schema refuses, even if public and outside of a project", async () => {
    const ran: unknown[] = [];
    const world = await makeWorld({ routes: [route(ran)] });
    const { status, body } = await world.anonymous.post("/v1/test/beside", { few: 4, even: 5 });
    const reported = body.errors.map(({ location, message }: Record<string, string>) => [location, message]);
    expect([status, reported, ran]).toEqual([
      422,
      [
        ["body.few", "must be at most 3"],
        ["body.even", "is odd, outside of a project"],
      ],
      [],
    ]);
    expect((await world.anonymous.post("/v1/test/beside", { few: 3 })).status).toBe(200);
    expect(ran).toEqual([{ few: 3 }]);
  });
});
