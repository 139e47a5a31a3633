import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@millrace/contract/error-codes";
import type { ErrorCodeEntry } from "@millrace/contract/error-codes/entry";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../src/api/all-routes.ts";
import { serverRoot } from "../../src/platform/server-root.ts";
import { VERSION } from "../../src/platform/version.ts";
import { cloneDatabase } from "../database.ts";
import { printOpenApi } from "../print-openapi.ts";
import { printSchema } from "../print-schema.ts";

const root = join(serverRoot(), "..");

/** `npm run generate` writes these files anew; here a difference fails. */
describe("generated files", () => {
  it("O8 openapi.json is the OpenAPI 3.1 document of the rows", async () => {
    const text = await printOpenApi(allRoutes);
    const document = JSON.parse(text);
    expect(document.openapi).toBe("3.1.0");
    expect(pathsOf(document)).toEqual(allRoutes.map(({ method, path }) => `${method} ${path}`).toSorted());
    await expect(text).toMatchFileSnapshot(join(root, "openapi.json"));
  });

  it("schema.sql is the schema that the migrations leave", async () => {
    await expect(await printSchema(await cloneDatabase())).toMatchFileSnapshot(join(serverRoot(), "schema.sql"));
  });

  it("every error code has its page in docs/errors", async () => {
    const entries: [string, ErrorCodeEntry][] = Object.entries(ERROR_CODES);
    for (const [code, entry] of entries) {
      const statuses = [entry.status, entry.status_for_run].filter((status) => status !== undefined).join(" or ");
      const page = `# ${code}\n\n**${statuses} ${entry.title}**\n\n${entry.meaning}\n\n## What to do\n\n${entry.remedy}\n`;
      await expect(page).toMatchFileSnapshot(join(root, "docs", "errors", `${code}.md`));
    }
  });

  it("the version is that of package.json", () => {
    expect(VERSION).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version);
  });
});

function pathsOf(document: { paths: Record<string, Record<string, unknown>> }): string[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}
