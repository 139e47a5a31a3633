import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { packPackages } from "../../../../tools/build-packages.mjs";
import { until } from "../../world/until.ts";
import { type EmptyMachine, prepareMachine } from "./empty-machine.ts";
import { openRegistry, type Registry } from "./registry.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });

let registry: Registry;
let machine: EmptyMachine;
const figures: [string, string][] = [];

beforeAll(async () => {
  const tarballs = await packPackages();
  for (const path of tarballs) figures.push([`size of ${path.replace(/.*\//, "")}`, kilobytes(statSync(path).size)]);
  registry = await openRegistry(tarballs);
  machine = await prepareMachine(registry.url);
});
afterAll(async () => {
  await registry.close();
  machine.remove(); // here, where it may take minutes on a busy machine
  const width = Math.max(...figures.map(([what]) => what.length));
  console.log(figures.map(([what, value]) => `  ${what.padEnd(width)}   ${value}`).join("\n"));
  vi.resetConfig();
});

const kilobytes = (bytes: number) => `${Math.round(bytes / 1_000).toLocaleString("en")} kB`;
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

describe("from an empty folder with an empty npm cache", () => {
  it("`npx millrace` downloads, starts, and serves the dashboard with the demo", async () => {
    const startedAt = performance.now();
    const service = await machine.start("npx --yes millrace", /Stop +Ctrl-C/);
    const ms = performance.now() - startedAt;
    const readyMs = Number(/ready in (\d+) ms/.exec(service.output())?.[1]);
    figures.push(["npx millrace: download", seconds(ms - readyMs)], ["npx millrace: first start", seconds(readyMs)]);
    expect(service.output()).not.toMatch(/npm (warn|error)/i);

    const page = await (await fetch(machine.url)).text();
    const assets = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
    expect(assets.length).toBeGreaterThan(2);
    for (const path of [...assets, "/docs", "/docs/api/runs", "/docs/search.json", "/openapi.json", "/llms.txt"]) {
      expect([path, (await fetch(new URL(path, machine.url))).status]).toEqual([path, 200]);
    }
    await until("the demo order to wait for approval", 60_000, async () => {
      const resumed = await (await fetch(`${machine.url}/demo/resume`, { method: "POST" })).json();
      return (resumed as { resumed_workflow_run_id: string | null }).resumed_workflow_run_id;
    });
    await service.stop();
  });

  it("`npm create millrace-app` creates an app whose job completes", async () => {
    const created = await machine.run("npm create --yes millrace-app shop");
    expect([created.code, created.output]).toEqual([0, expect.stringContaining("npm run dev")]);
    figures.push(["npm create millrace-app, with its dependencies", seconds(created.ms)]);
    const app = join(machine.folder, "shop");

    const service = await machine.start("npm run dev", /written to \.env\.local/, app);
    const worker = await machine.start("npm run worker", /serving greet and welcome/, app);
    const trigger = await machine.run(`npx millrace trigger greet -d '{"name": "Ada"}' --wait --json`, app);
    expect([trigger.code, trigger.output]).toEqual([0, expect.stringContaining("Hello, Ada!")]);
    await worker.stop();
    await service.stop();
  });
});

describe("in production", () => {
  it("`millrace init --production` writes what `millrace serve` needs, and its key works", async () => {
    const refused = await machine.run("npx millrace serve");
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("millrace init --production")]);
    const { code, output } = await machine.run("npx millrace init --production --folder live");
    expect([code, output]).toEqual([0, expect.stringContaining("MILLRACE_API_KEY=svc_")]);
    const service = await machine.start("npx millrace serve --settings live/.env", /millrace is listening/);
    const headers = { authorization: `Bearer ${/MILLRACE_API_KEY=(\S+)/.exec(output)?.[1]}` };
    const me = await fetch(`${machine.url}/v1/me`, { headers });
    expect([me.status, me.headers.get("ratelimit-limit")]).toEqual([200, "120000"]);
    await service.stop();
  });
});

describe("in the created app", () => {
  it("the code compiles under `tsc --strict`, including the types of the packages", async () => {
    const { code, output } = await machine.run("npx tsc --strict --skipLibCheck false", join(machine.folder, "shop"));
    const ours = output.split("\n").filter((line) => line.includes("millrace") || line.startsWith("src"));
    expect([ours, code === 0 ? "" : output]).toEqual([[], ""]);
  });

  it("`createTestServer()` works in vitest", async () => {
    const { code, output, ms } = await machine.run("npm test", join(machine.folder, "shop"));
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests +2 passed/)]);
    figures.push(["npm test of the app, first run", seconds(ms)]);
  });

  it("`createTestServer()` works in node:test", async () => {
    const app = join(machine.folder, "shop");
    writeFileSync(join(app, "month.node.mjs"), NODE_TEST);
    const { code, output } = await machine.run("node --test month.node.mjs", app);
    expect([code, output]).toEqual([0, expect.stringMatching(/pass 1/)]);
  });

  it("the schemas of `@millrace/contract` can be imported, with their types", async () => {
    const app = join(machine.folder, "shop");
    expect(await machine.run("npm install --save-exact @millrace/contract", app)).toMatchObject({ code: 0 });
    writeFileSync(join(app, "src", "contract.ts"), CONTRACT);
    expect(await machine.run("npx tsc --strict && npx tsx src/contract.ts", app)).toMatchObject({
      code: 0,
      output: "object true\n",
    });
  });
});

describe("in the source folders", () => {
  it("`npm pack` refuses and says what to do", async () => {
    const root = resolve(import.meta.dirname, "../../../..");
    const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { workspaces: string[] };
    for (const folder of [".", "create-app", ...workspaces.filter((name) => name !== "bench")]) {
      const { code, output } = await machine.run(`npm pack --pack-destination ${machine.folder}`, join(root, folder));
      expect([folder, code, output]).toEqual([folder, 1, expect.stringContaining("npm run packages")]);
    }
  });
});

const NODE_TEST = `import assert from "node:assert";
import { test } from "node:test";
import { defineJob, defineWorkflow } from "@millrace/sdk";
import { createTestServer } from "@millrace/sdk/testing";

test("takes a month", async () => {
  const charge = defineJob({ id: "charge", run: async ({ user }) => ({ receipt: "r-" + user }) });
  const trial = defineWorkflow("trial").sleep("month", "720h").job("charge", charge, { after: ["month"] });
  const t = await createTestServer();
  await t.serve([charge, trial]);
  const { output } = await t.run(trial, { user: "ada" });
  assert.equal(output.charge.receipt, "r-ada");
  await t.close();
});
`;

const CONTRACT = `import { Run } from "@millrace/contract/runs/runs";

const status: Run["status"] = "completed";
console.log(Run.type, status.length > 0);
`;
