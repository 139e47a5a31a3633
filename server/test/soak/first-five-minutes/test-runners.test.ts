import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSdk } from "../../../../tools/build-sdk.mjs";
import { buildTestHost } from "../../../../tools/build-test-host.mjs";

const ROOT = resolve(import.meta.dirname, "../../../..");
const TIMEOUT_MS = 120_000;
const project = mkdtempSync(join(tmpdir(), "millrace-runners-"));

/** A user's project: the built package, the server next to it, and a test that covers a month. */
beforeAll(async () => {
  await buildTestHost();
  const packages = join(project, "node_modules");
  mkdirSync(join(packages, "@millrace"), { recursive: true });
  cpSync(await buildSdk(), join(packages, "@millrace", "sdk"), { recursive: true });
  symlinkSync(join(ROOT, "server"), join(packages, "@millrace", "server"));
  symlinkSync(join(ROOT, "node_modules", "vitest"), join(packages, "vitest"));
  writeFileSync(join(project, "package.json"), '{ "name": "somebodys", "type": "commonjs", "jest": {} }');
}, TIMEOUT_MS);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const BODY = `
const charge = defineJob({ id: "charge", retry: { delays: ["1h"] }, run: async ({ user }) => ({ receipt: "r-" + user }) });
const trial = defineWorkflow("trial")
  .sleep("month", "720h")
  .waitForEvent("yes", { after: ["month"], key: ({ payload }) => "yes:" + payload.user, timeout: "24h" })
  .job("charge", charge, { after: ["yes"] });

async function aMonth() {
  const t = await createTestServer();
  try {
    await t.serve([charge, trial]);
    const run = await t.client.workflows.trigger(trial, { user: "ada" });
    await t.skip("30d");
    await t.events.expectWaiting("yes:ada");
    await t.client.events.send("yes:ada", { sure: true });
    t.failNext("charge", 2);
    const { output } = await run.result();
    return output.charge.receipt + " " + output.yes.sure;
  } finally {
    await t.close();
  }
}
`;
const ESM = `import { defineJob, defineWorkflow } from "@millrace/sdk";
import { createTestServer } from "@millrace/sdk/testing";
${BODY}`;
const CJS = `const { defineJob, defineWorkflow } = require("@millrace/sdk");
const { createTestServer } = require("@millrace/sdk/testing");
${BODY}`;

function run(file: string, text: string, command: string[]) {
  writeFileSync(join(project, file), text);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: project, encoding: "utf8", env });
  return { status, output: stdout + stderr };
}

describe("createTestServer works as published", () => {
  it("in vitest", { timeout: TIMEOUT_MS }, () => {
    const text = `import { expect, it } from "vitest";\n${ESM}
      it("takes a month", async () => expect(await aMonth()).toBe("r-ada true"), 100_000);`;
    const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
    const { status, output } = run("month.test.mjs", text, [vitest, "run", "--root", project, "month.test.mjs"]);
    expect(output).toContain("1 passed");
    expect(status).toBe(0);
  });

  it("in jest, which loads modules in its own way", { timeout: TIMEOUT_MS }, () => {
    const text = `${CJS}\ntest("takes a month", async () => expect(await aMonth()).toBe("r-ada true"), 100_000);`;
    const jest = join(ROOT, "node_modules", "jest", "bin", "jest.js");
    const { status, output } = run("month.test.js", text, [
      jest,
      "--rootDir",
      project,
      "--watchman=false",
      "month.test.js",
    ]);
    expect(output).toContain("1 passed");
    expect(status).toBe(0);
  });

  it("in node:test, as ESM and as CommonJS", { timeout: TIMEOUT_MS }, () => {
    const rest = `test("takes a month", async () => assert.equal(await aMonth(), "r-ada true"));`;
    const esm = `import { test } from "node:test";\nimport assert from "node:assert";\n${ESM}\n${rest}`;
    const cjs = `const { test } = require("node:test");\nconst assert = require("node:assert");\n${CJS}\n${rest}`;
    for (const [file, text] of [
      ["month.node.mjs", esm],
      ["month.node.cjs", cjs],
    ] as const) {
      const { status, output } = run(file, text, ["--test", file]);
      expect(output).toContain("# pass 1");
      expect(status).toBe(0);
    }
  });
});
