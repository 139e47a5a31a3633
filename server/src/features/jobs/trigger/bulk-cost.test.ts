import { beforeAll, describe, expect, it } from "vitest";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
/**
 * The number of checks doubles at each level of the value: accepted as a schema, and stopped by the step limit at use.
 */
const twice = { allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] };
const doubling = {
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 26 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    ),
    d26: {},
  },
  $ref: "#/$defs/d0",
};

describe("POST /v1/jobs", () => {
  it.each(["payload_schema", "result_schema"])(
    "422 with the location where a %s doubles without end",
    async (field) => {
      const response = await project.api.post("/v1/jobs", {
        name: "J",
        endpoint_url: "http://127.0.0.1:1025/",
        [field]: doubling,
      });
      expect(response.status).toBe(422);
      expect(response.body.errors).toEqual([
        {
          location: `body.${field}`,
          message: expect.stringMatching(
            /^applies 2045 subschemas to one value at schema\.\$defs\.d17, .*: at most 2000;/,
          ),
          value: null,
        },
      ]);
    },
  );
});

describe("POST /v1/jobs/{jobID}/trigger/bulk", () => {
  it("serves other requests between items that use up the step limit", async () => {
    const job = await project.api.post("/v1/jobs", {
      ...{ name: "Costly", endpoint_url: "http://127.0.0.1:1025/", payload_schema: twice },
    });
    const items = Array.from({ length: 20 }, () => ({ payload: nested(60) }));
    let isOver = false;
    const bulk = project.api.post(`/v1/jobs/${job.body.id}/trigger/bulk`, { items }).finally(() => {
      isOver = true;
    });
    let served = 0;
    for (; !isOver; served++) expect((await project.api.get("/health")).status).toBe(200);
    const { results } = (await bulk).body as {
      results: { status: string; error: { code: string; message: string } }[];
    };
    expect(results.map(({ status, error }) => `${status} ${error.code}`)).toEqual(
      Array(20).fill("failed payload_invalid"),
    );
    expect(results[0]?.error.message).toMatch(/takes too many steps to check against the schema/);
    // If the bulk request blocked the event loop, other requests would be served only before and after it.
    expect(served).toBeGreaterThan(5);
  });
});
