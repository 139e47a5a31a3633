import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { expect, it } from "vitest";
import { serverRoot } from "../../src/platform/server-root.ts";
import { whenFileEnds } from "../world/end-of-file.ts";
import { makeWorld } from "../world/world.ts";

const run = promisify(execFile);
/** Excluded from our own compilation: its types exist only while the test runs. */
const CALLS = join(serverRoot(), "test", "openapi", "client", "typical-calls.ts");

it("O8 generates a client with which typical calls compile strictly and work", { timeout: 180_000 }, async () => {
  const world = await makeWorld();
  const project = await world.project();
  const document = (await world.anonymous.get("/openapi.json")).body;
  expect(await issuesOf(astToString(await openapiTS(document)))).toBe("");

  const { typicalCalls } = await import(CALLS);
  const made = await typicalCalls(world.url, project.key);
  expect(made).toMatchObject({
    timeoutSecs: 300,
    changed: { max_attempts: 5 },
    again: { id: made.run.id },
    read: { id: made.run.id, payload: { invoice: 42 } },
    canceled: { status: "canceled" },
    workflow: { steps: [{ step_ref: "wait" }, { step_ref: "bill" }] },
    workflowRun: { workflow_id: made.workflow.id },
    apiKey: { scopes: ["runs:read"] },
    problem: { code: "not_found", status: 404 },
  });
  expect(made.statuses.length).toBe(2);
  expect([made.deleted.response.status, made.refused.response.status]).toEqual([204, 422]);
  expect(made.stream.response.headers.get("content-type")).toBe("text/event-stream");
  await made.stream.data?.cancel();
});

/** The compiler output for the calls with these types; empty if they compile. */
async function issuesOf(types: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-client-"));
  whenFileEnds(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "openapi.d.ts"), types);
  const config = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ target: "ES2023", lib: ["ES2023", "DOM", "DOM.Iterable"], module: "NodeNext", types: [] },
      paths: { "generated-from-openapi": [join(folder, "openapi.d.ts")] },
    },
    files: [CALLS],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(serverRoot(), "..", "node_modules", "typescript", "bin", "tsc");
  const args = [compiler, "-p", folder, "--pretty", "false"];
  return run(process.execPath, args).then(
    () => "",
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}
