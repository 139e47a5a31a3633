import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@millrace/contract/error-codes/all-codes";
import type { ErrorCodeEntry } from "@millrace/contract/error-codes/entry";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { serverRoot } from "../../src/platform/server-root.ts";
import { VERSION } from "../../src/platform/version.ts";
import { expectedAccess, type Who } from "../requests/expected-access.ts";
import { printOpenApi } from "../requests/print-openapi.ts";
import { printSchema } from "../statements/print-schema.ts";
import { cloneDatabase } from "../world/database.ts";

const root = join(serverRoot(), "..");

/** `npm run generate` rewrites these files; this test fails if they are out of date. */
describe("generated files", () => {
  it("O8 openapi.json is the OpenAPI 3.1 document of the routes", async () => {
    const text = printOpenApi(allRoutes);
    const document = JSON.parse(text);
    expect(document.openapi).toBe("3.1.0");
    expect(pathsOf(document)).toEqual(allRoutes.map(({ method, path }) => `${method} ${path}`).toSorted());
    await expect(text).toMatchFileSnapshot(join(root, "openapi.json"));
  });

  it("schema.sql is the schema that the migrations produce", async () => {
    await expect(await printSchema(await cloneDatabase())).toMatchFileSnapshot(join(serverRoot(), "schema.sql"));
  });

  it("every error code has a page in docs/errors", async () => {
    const entries: [string, ErrorCodeEntry][] = Object.entries(ERROR_CODES);
    for (const [code, entry] of entries) {
      const statuses = [entry.status, entry.status_for_run].filter((status) => status !== undefined).join(" or ");
      const page = `# ${code}\n\n**${statuses} ${entry.title}**\n\n${entry.meaning}\n\n## What to do\n\n${entry.remedy}\n`;
      await expect(page).toMatchFileSnapshot(join(root, "docs", "errors", `${code}.md`));
    }
  });

  it("the version matches package.json", () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  });
});

type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { in: string; name: string }[];
  requestBody?: { required?: boolean; content: object };
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>;
};

describe("openapi.json", () => {
  const document = JSON.parse(printOpenApi(allRoutes));
  const operations = allRoutes.map((route) => ({
    route,
    name: `${route.method} ${route.path}`,
    operation: document.paths[route.path][route.method.toLowerCase()] as Operation,
  }));

  it("O8 gives every operation a unique id, a summary and a tag", () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(allRoutes.length);
    for (const { name, operation } of operations) {
      expect([name, operation.summary, operation.tags.length]).toEqual([name, expect.stringMatching(/\S/), 1]);
    }
  });

  it("A1 A2 O8 lists exactly the credentials that each operation accepts", () => {
    const who: Record<string, Who> = {
      apiKey: { kind: "key", scopes: () => null },
      scopedToken: { kind: "token", scopes: null },
      oidc: { kind: "member", scopes: null },
      session: { kind: "internal", by: "session" },
      internalSecret: { kind: "internal", by: "header" },
    };
    expect(Object.keys(document.components.securitySchemes)).toEqual([...Object.keys(who), "runToken"]);
    for (const { route, name, operation } of operations) {
      const opening = Object.keys(who).filter(
        (scheme) => expectedAccess(route, { who: who[scheme] as Who }) === "admitted",
      );
      const promised = route.auth.kind === "none" ? [] : route.auth.kind === "run" ? ["runToken"] : opening;
      expect([name, operation.security.flatMap(Object.keys)]).toEqual([name, promised]);
    }
  });

  it("O8 lists the headers that a request may carry, and the token parameter of streams", () => {
    const holding = (place: string, parameter: string) =>
      operations
        .filter(({ operation }) => operation.parameters?.some((each) => each.in === place && each.name === parameter))
        .map(({ name }) => name);
    expect(holding("header", "Idempotency-Key").toSorted()).toEqual([
      "POST /v1/events/prefix/{prefix}/send",
      "POST /v1/events/{eventKey}/send",
      "POST /v1/jobs/{jobID}/trigger",
      "POST /v1/workflows/{workflowID}/trigger",
    ]);
    expect(holding("header", "Last-Event-ID")).toEqual(["GET /v1/runs/{runID}/stream", "GET /v1/stream"]);
    const inProject = operations.filter(({ route }) => route.auth.kind === "project").map(({ name }) => name);
    expect(holding("header", "X-Project-Id")).toEqual(inProject);
    const streams = operations.filter(({ route }) => route.streams).map(({ name }) => name);
    expect(holding("query", "token")).toEqual(streams);
  });

  it("O8 describes the body of every operation that accepts one, signed bodies included", () => {
    for (const { route, name, operation } of operations) {
      const takesBody = route.body !== undefined || route.signed === true;
      expect([name, operation.requestBody !== undefined]).toEqual([name, takesBody]);
    }
  });

  it("O8 names media types without parameters, and describes JSON by its schema, not as a string", () => {
    for (const { name, operation } of operations) {
      for (const [type, { schema }] of Object.values(operation.responses).flatMap(({ content = {} }) =>
        Object.entries(content),
      )) {
        expect([name, type]).toEqual([name, expect.not.stringContaining(";")]);
        if (/json$/.test(type) && !type.endsWith("ndjson")) expect([name, schema.type]).not.toEqual([name, "string"]);
      }
    }
  });

  it("O8 states defaults in descriptions: as a keyword they make generators require the field", () => {
    const text = JSON.stringify(document.components.schemas);
    expect(text).not.toMatch(/"default":(?!\{"(type|anyOf|\$ref)")/);
    expect(document.components.schemas.CreateJob.properties.timeout_secs.description).toMatch(/Default: `300`/);
  });
});

function pathsOf(document: { paths: Record<string, Record<string, unknown>> }): string[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}
