import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../server/src/api/all-routes.ts";
import { serverRoot } from "../../server/src/platform/server-root.ts";
import { printOpenApi } from "../../server/test/requests/print-openapi.ts";
import { printEndpoints } from "../generate/print-endpoints.ts";
import { printReference } from "../generate/print-reference.ts";
import { printSchemas } from "../generate/print-schemas.ts";
import { isApi, readEndpoints } from "../generate/read-endpoints.ts";

const generated = join(serverRoot(), "..", "sdk", "src", "generated");

/** `npm run generate` rewrites these files; here a difference fails. */
describe("generated files of the SDK", () => {
  it("the SDK's types match the contract", async () => {
    const document = JSON.parse(printOpenApi(allRoutes));
    await expect(printSchemas(document)).toMatchFileSnapshot(join(generated, "schemas.ts"));
    await expect(printEndpoints(document)).toMatchFileSnapshot(join(generated, "endpoints.ts"));
  });

  it("docs/reference/sdk-exports.md has every export", async () => {
    const page = join(generated, "../../../docs/reference/sdk-exports.md");
    await expect(printReference(join(generated, "../.."))).toMatchFileSnapshot(page);
  });

  it("the client has every API endpoint exactly once", async () => {
    const endpoints = readEndpoints(JSON.parse(printOpenApi(allRoutes)));
    const held = endpoints.map(({ method, path }) => `${method} ${path}`);
    const served = allRoutes.filter(({ path }) => isApi(path)).map(({ method, path }) => `${method} ${path}`);
    expect(held.toSorted()).toEqual(served.toSorted());
    expect(new Set(endpoints.map(({ noun, verb }) => `${noun}.${verb}`)).size).toBe(served.length);
  });
});
