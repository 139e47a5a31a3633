import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cloneDatabase } from "../../server/test/database.ts";
import { SECRETS, startService, urlOf, useServices } from "../../server/test/service/start-service.ts";
import { ROOT } from "./follow-readme.ts";
import { readBlocks } from "./readme-blocks.ts";
import { runOwnJob } from "./run-own-job.ts";

useServices();

/** With npm start, npm pack and npm install, from an empty folder: `npm run test:soak -- first-five-minutes`. */
describe("the README", () => {
  it("has a job of your own whose worker and commands work as described", async () => {
    const { worker, outputOf } = await runOwnJob();
    expect(worker).toBe("serving charge and order-flow\n");
    expect(outputOf("trigger charge -d")).toMatchObject({
      code: 8,
      output: expect.stringContaining("0 cannot be charged"),
    });
    for (const part of ["runs replay", "POST /v1/workflows/order-flow/trigger", "events send", "workflow-runs list"]) {
      expect([part, outputOf(part).code]).toEqual([part, 0]);
    }
    expect(outputOf("/v1/me").output).toContain('"kind":"api_key"');
    expect(outputOf("wait_secs=10").output).toContain('"receipt":"r-A3"');
  });

  it("has no untested block: the others are the tests themselves, production below, and a diagram", () => {
    const others = readBlocks(join(ROOT, "README.md")).filter(
      ({ heading }) => !["Start", "Your own job"].includes(heading),
    );
    expect(others.map(({ heading, language }) => `${heading}: ${language}`)).toEqual([
      "Test: sh",
      "Run it in production: sh",
      "Architecture: ",
    ]);
    expect(others[0]?.text).toBe("npm test\n");
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.test).toBe("node tools/test.mjs");
  });

  it("describes a production start that works", async () => {
    const block = readBlocks(join(ROOT, "README.md")).find(({ heading }) => heading === "Run it in production");
    const names = [...(block?.text ?? "").matchAll(/\b([A-Z_]{6,})=/g)].map(([, name]) => name ?? "");
    const given: Record<string, string> = { ...SECRETS, DATABASE_URL: urlOf(await cloneDatabase()) };
    expect(names.sort()).toEqual(Object.keys(given).sort());
    expect(block?.text.trim().split("\n").at(-1)).toBe("npx millrace serve");
    const service = await startService("serve", { env: given });
    await service.stop();
  });
});
