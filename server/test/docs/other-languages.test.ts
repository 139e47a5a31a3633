import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@millrace/sdk";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { exampleService } from "../../../examples/testing/example-service.ts";
import { runProgram } from "../../../examples/testing/run-program.ts";
import { applicationDatabase } from "../outside/application-database.ts";
import { freePort } from "../outside/free-port.ts";
import { runSql } from "../world/database.ts";
import { whenFileEnds } from "../world/end-of-file.ts";
import { until } from "../world/until.ts";
import { makeWorld } from "../world/world.ts";
import { docBlocks } from "./doc-blocks.ts";

const blocks = docBlocks();
const of = (language: string) => blocks.filter((block) => block.language === language);
const OUTBOX = "docs/guides/outbox.md";
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("code in other languages than the SDK's", () => {
  it.runIf(hasPython)("the Python program serves a job, with only the standard library (needs python3)", async () => {
    expect(of("python").map(({ page }) => page)).toEqual(["docs/frameworks/other-languages.md"]);
    const folder = mkdtempSync(join(tmpdir(), "millrace-python-"));
    whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    writeFileSync(join(folder, "worker.py"), of("python")[0]?.text.replace("3000", String(port)) ?? "");
    const { env, url, key } = await exampleService();
    const worker = runProgram(folder, ["python3", "-W", "error", "worker.py"], env);
    await until("the worker to listen", 30_000, () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      ),
    );
    const client = createClient({ baseUrl: url, apiKey: key });
    await client.jobs.create({ name: "Greet", slug: "greet", endpoint_url: `http://127.0.0.1:${port}/` });
    const run = await client.jobs.trigger("greet", { name: "Ada" });
    expect(await run.unwrap()).toEqual({ text: "Hello, Ada!" });
    worker.signal("SIGTERM");
  });

  it("SQL of the outbox runs in a database that `millrace outbox install` prepared", async () => {
    const { connection, rows } = await applicationDatabase();
    await runSql(connection, "create table orders (id int, total numeric)");
    // A role belongs to the whole server.
    await runSql(connection, "do $$ begin create role app; exception when duplicate_object then null; end $$");
    for (const { text } of of("sql").filter(({ page }) => page === OUTBOX)) await runSql(connection, { text });
    expect(await rows()).toEqual([expect.objectContaining({ job: "ship-order", error_code: null })]);
  });

  it("other SQL, for operators, runs in the database of the service", async () => {
    const { connection } = await makeWorld();
    const found = of("sql").filter(({ page }) => page !== OUTBOX);
    expect(found.length).toBeGreaterThan(0);
    for (const { text } of found) await runSql(connection, { text });
  });

  it("YAML parses", () => {
    expect(of("yaml").length).toBeGreaterThan(1);
    const errors = of("yaml").flatMap(({ text }) => parseAllDocuments(text).flatMap((document) => document.errors));
    expect(errors).toEqual([]);
  });
});
