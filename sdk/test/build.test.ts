import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { buildSdk } from "../../tools/build-sdk.mjs";
import { buildTestHost } from "../../tools/build-test-host.mjs";

const root = join(import.meta.dirname, "..", "..");
let dist: string;
let app: string;

/** An application with only this package in its node_modules. */
beforeAll(async () => {
  dist = await buildSdk();
  app = await mkdtemp(join(tmpdir(), "millrace-sdk-"));
  whenFileEnds(() => rm(app, { recursive: true, force: true }));
  mkdirSync(join(app, "node_modules", "@millrace"), { recursive: true });
  symlinkSync(dist, join(app, "node_modules", "@millrace", "sdk"));
}, 120_000);

function run(file: string, text: string) {
  writeFileSync(join(app, file), text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: app, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const filesOf = (folder: string, ending: string) =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith(ending));

describe("the published package", () => {
  it("has no dependencies, and contains every entry point it names", () => {
    const manifest = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"));
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.private).toBeUndefined();
    for (const entry of Object.values(manifest.exports) as Record<string, Record<string, string>>[]) {
      for (const file of [entry.import, entry.require].flatMap((each) => Object.values(each ?? {}))) {
        expect(existsSync(join(dist, file)), file).toBe(true);
      }
    }
  });

  it("can be imported from ESM", () => {
    const said = run(
      "esm.mjs",
      `import { createClient, defineJob, NonRetryableError } from "@millrace/sdk";
       import { serve } from "@millrace/sdk/fetch";
       import { otel } from "@millrace/sdk/otel";
       import { verifyWebhook } from "@millrace/sdk/webhooks";
       for (const entry of ["node", "hono", "next", "express", "fastify"]) await import("@millrace/sdk/" + entry);
       const job = defineJob({ id: "a", run: () => 1 });
       console.log(job.id, typeof createClient().runs.list, typeof serve({ jobs: [job] }), typeof verifyWebhook, typeof otel,
         new NonRetryableError("x") instanceof Error);`,
    );
    expect(said).toBe("a function function function function true");
  });

  it("can be required from CommonJS", () => {
    const said = run(
      "cjs.cjs",
      `const { createClient, defineJob } = require("@millrace/sdk");
       const { serve } = require("@millrace/sdk/express");
       for (const entry of ["node", "hono", "next", "fetch", "fastify", "webhooks", "otel"]) require("@millrace/sdk/" + entry);
       console.log(typeof createClient().jobs.trigger, typeof serve({ jobs: [defineJob({ id: "a", run: () => 1 })] }));`,
    );
    expect(said).toBe("function function");
  });

  // In vitest, jest and node:test: `npm run test:soak -- first-five-minutes`.
  it("has a test server that works with the server package", async () => {
    await buildTestHost();
    symlinkSync(join(root, "server"), join(app, "node_modules", "@millrace", "server"));
    const said = run(
      "month.cjs",
      `const { defineJob, defineWorkflow } = require("@millrace/sdk");
       const { createTestServer } = require("@millrace/sdk/testing");
       const charge = defineJob({ id: "charge", run: async ({ user }) => ({ receipt: "r-" + user }) });
       const trial = defineWorkflow("trial").sleep("month", "720h").job("charge", charge, { after: ["month"] });
       (async () => {
         const t = await createTestServer();
         await t.serve([charge, trial]);
         const { output } = await t.run(trial, { user: "ada" });
         console.log(output.charge.receipt);
         await t.close();
       })();`,
    );
    expect(said).toBe("r-ada");
  });

  it("uses no Node modules in entry points for other runtimes", () => {
    const bundles = ["index", "webhooks", "otel", "adapters/fetch", "adapters/hono", "adapters/next"];
    for (const name of bundles) {
      const text = readFileSync(join(dist, "cjs", `${name}.js`), "utf8");
      expect(text, name).not.toMatch(/require\(["'](node:|fs|http|crypto)/);
    }
  });

  it("has types that refer only to themselves and Node, and compile as ESM and CommonJS", () => {
    for (const format of ["esm", "cjs"]) {
      for (const name of filesOf(join(dist, format), ".d.ts")) {
        // Examples in comments import what a user has.
        const text = readFileSync(join(dist, format, name), "utf8").replaceAll(/\/\*\*.*?\*\//gs, "");
        const named = [...text.matchAll(/(?:from |import\()"([^"]+)"/g)].map(([, from]) => from ?? "");
        expect(
          named.filter((from) => !/^(\.|node:)/.test(from)),
          name,
        ).toEqual([]);
      }
    }
    const text = `import { createClient, defineJob, defineWorkflow, type schemas } from "@millrace/sdk";
      import { serve } from "@millrace/sdk/node";
      const job = defineJob({ id: "a", run: (payload: { n: number }) => ({ m: payload.n }) });
      const flow = defineWorkflow("w").job("one", job, { payload: () => ({ n: 1 }) });
      export async function main(): Promise<number | undefined> {
        const client = createClient();
        const run: schemas.Run = await client.runs.get("x");
        const handle = await client.workflows.trigger(flow, run.payload);
        const end = await handle.result();
        return end.ok ? end.output.one?.m : undefined;
      }
      // @ts-expect-error n is a number
      void createClient().jobs.trigger(job, { n: "1" });
      void serve({ jobs: [job], workflows: [flow] });`;
    writeFileSync(join(app, "use.mts"), text);
    writeFileSync(join(app, "use.cts"), text);
    symlinkSync(join(root, "node_modules", "@types"), join(app, "node_modules", "@types"));
    const options = {
      module: "NodeNext",
      target: "ES2022",
      strict: true,
      noEmit: true,
      types: ["node"],
      skipLibCheck: false,
    };
    const compilerOptions = { ...options, exactOptionalPropertyTypes: true, lib: ["ES2022"] };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.mts", "use.cts"] }));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", app], { encoding: "utf8" });
    expect(stdout.split("\n").filter((line) => !line.includes("node_modules/@types"))).toEqual([""]);
  });
});
