import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createClient } from "@millrace/sdk";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { exampleService } from "../../../examples/testing/example-service.ts";
import { runProgram } from "../../../examples/testing/run-program.ts";
import { buildTestHost } from "../../../tools/build-test-host.mjs";
import { freePort } from "../outside/free-port.ts";
import { whenFileEnds } from "../world/end-of-file.ts";
import { until } from "../world/until.ts";
import { blocksOf, type DocBlock, docBlocks, ROOT } from "./doc-blocks.ts";

/** Programs of the documentation: a block named `main.ts`, followed by what it prints. */
const programs = docBlocks().filter(({ note }) => note === "main.ts");

describe("programs in the documentation", () => {
  it("are in the concepts and in each guide, except the one about tests", () => {
    expect(programs.map(({ page }) => page).toSorted()).toEqual([
      "docs/guides/agents.md",
      "docs/guides/approval.md",
      "docs/guides/cron.md",
      "docs/guides/fan-out.md",
      "docs/guides/saga.md",
      "docs/guides/webhooks-in.md",
      "docs/guides/webhooks-out.md",
      "docs/guides/workers.md",
      "docs/start/concepts.md",
    ]);
  });

  it.each(["node", "express", "fastify"])("docs/frameworks/%s.md has a server that serves its job", async (name) => {
    const { env, url, key } = await exampleService();
    const [program] = blocksOf(`docs/frameworks/${name}.md`).filter(({ note }) => /^(worker|server)\.ts$/.test(note));
    const { signal, errors } = runProgram(ROOT, [process.execPath, await bundleProgram(program as DocBlock)], env);
    const client = createClient({ baseUrl: url, apiKey: key });
    await until("the job to be registered", 30_000, async () => (await client.jobs.list().all()).length > 0);
    const run = await client.jobs.trigger("greet", { name: "Ada" });
    expect([await run.unwrap(), errors()]).toEqual([{ text: "Hello, Ada!" }, ""]);
    signal("SIGTERM");
  });

  it("docs/start/quickstart.md has a worker that serves its job and its workflow", async () => {
    const { env, url, key } = await exampleService();
    const [program] = blocksOf("docs/start/quickstart.md").filter(({ note }) => note === "worker.mjs");
    const worker = runProgram(ROOT, [process.execPath, await bundleProgram(program as DocBlock)], env);
    await until("the worker to serve", 30_000, () => worker.printed() === "serving charge and order\n");
    const client = createClient({ baseUrl: url, apiKey: key });
    const failed = await (await client.jobs.trigger("charge", { order: "A2", amount: 0 })).result();
    expect(failed).toMatchObject({ ok: false, error: { message: "0 cannot be charged" } });
    const run = await client.workflows.trigger("order", { order: "A3", amount: 5 });
    await client.events.send("packed:A3", { by: "Bob" }, { buffer: "1m" });
    expect(await run.unwrap()).toEqual({ charge: { receipt: "r-A3" }, packed: { by: "Bob" } });
    worker.signal("SIGTERM");
  });

  it("docs/guides/testing.md has tests that pass", async () => {
    const folder = join(ROOT, "dist", `docs-programs-${process.pid}`);
    whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(folder, { recursive: true });
    for (const { note, text } of blocksOf("docs/guides/testing.md").filter((block) => block.note.endsWith(".ts"))) {
      writeFileSync(join(folder, note), text);
    }
    writeFileSync(join(folder, "testing.ts"), testingOf(await buildTestHost()));
    const config = {
      test: { root: folder, testTimeout: 60_000, alias: { "@millrace/sdk/testing": join(folder, "testing.ts") } },
    };
    writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const args = [process.execPath, vitest, "run", "--config", join(folder, "vitest.config.mjs")];
    const { code, stdout, stderr } = await runProgram(folder, args, { HOME: homedir(), NO_COLOR: "1" }).ended;
    expect([code, stderr, /Tests {2}(\d+ passed)/.exec(stdout)?.[1]]).toEqual([0, "", "2 passed"]);
  });

  it.each(programs.map((program) => [program.page, program] as const))(
    "%s prints what the page says",
    async (_, program) => {
      const { env } = await exampleService();
      const file = await bundleProgram(program);
      const { code, stdout, stderr } = await runProgram(ROOT, [process.execPath, file], env).ended;
      expect([stderr, stdout, code]).toEqual(["", outputOf(program), 0]);
    },
  );
});

/** In a reader's project the service comes from the package `millrace`; here it is built from its sources. */
function testingOf(hostFile: string): string {
  const source = JSON.stringify(join(ROOT, "sdk", "src", "testing", "create-test-server.ts"));
  return `import { createTestServer as create } from ${source};
export const createTestServer = () => create({ hostFile: ${JSON.stringify(hostFile)} });\n`;
}

/** Express is CommonJS, which requires modules of Node at run time. */
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

function outputOf({ page, line }: DocBlock): string {
  return blocksOf(page).find((block) => block.language === "text" && block.line > line)?.text ?? "";
}

/** Replaces the ports, which may be in use here. */
async function bundleProgram({ page, text }: DocBlock): Promise<string> {
  const [worker, receiver] = [await freePort(), await freePort()];
  const folder = join(ROOT, "dist", "docs-programs");
  const name = `${page.replaceAll(/\W/g, "-")}-${process.pid}`;
  const [source, outfile] = [join(folder, `${name}.ts`), join(folder, `${name}.mjs`)];
  mkdirSync(folder, { recursive: true });
  whenFileEnds(async () => {
    for (const file of [source, outfile]) rmSync(file, { force: true });
  });
  writeFileSync(source, text.replaceAll("3000", String(worker)).replaceAll("4000", String(receiver)));
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: REQUIRE },
  });
  return outfile;
}
