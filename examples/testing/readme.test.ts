import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyDatabase } from "../../server/test/database.ts";
import { freePort } from "../../server/test/free-port.ts";
import { runService, SECRETS, urlOf, useServices } from "../../server/test/service/start-service.ts";
import { until } from "../../server/test/until.ts";
import { followReadme, ROOT } from "./follow-readme.ts";
import { readBlocks } from "./readme-blocks.ts";

useServices();

describe("the README", () => {
  it("is followed from an empty folder: every command does what it says", { timeout: 300_000 }, async () => {
    const { steps, banner, worker } = await followReadme(await freePort(), await freePort());
    const step = (part: string) => steps.find(({ command }) => command.includes(part));

    expect(banner).toMatch(/Sign in +http:\S+\?code=/);
    expect(worker).toBe("serving charge and order-flow\n");
    expect(JSON.parse(step("/demo/resume")?.output ?? "")).toHaveProperty("resumed_workflow_run_id");
    expect(step("trigger charge")).toMatchObject({ code: 8, output: expect.stringContaining("0 cannot be charged") });
    expect(step("build-sdk")?.output.trim()).toBe(join(ROOT, "sdk", "dist"));
    expect(step("runs replay")?.code).toBe(0);
    expect(step("workflow-runs list")?.output).toContain("completed");
    expect(step("events send")?.code).toBe(0);
    expect(step("/v1/me")?.output).toContain('"name":"First key"');
    expect(step("wait_secs=10")?.output).toContain('"receipt":"r-A3"');
    for (const { command, code, output } of steps) {
      if (command.includes("trigger charge") || code === null) continue;
      expect([command, code, code === 0 ? "" : output]).toEqual([command, 0, ""]);
    }
  });

  it("has no block that nobody runs: the others are the tests themselves, production below, and a picture", () => {
    const others = readBlocks(join(ROOT, "README.md")).filter(
      ({ heading }) => !["Start", "Your own job"].includes(heading),
    );
    expect(others.map(({ heading, language }) => `${heading}: ${language}`)).toEqual([
      "Test: sh",
      "Run it in production: sh",
      "The house: ",
    ]);
    expect(others[0]?.text).toBe("npm test\n");
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.test).toBe("node tools/test.mjs");
  });

  it("starts in production with what it names", async () => {
    const block = readBlocks(join(ROOT, "README.md")).find(({ heading }) => heading === "Run it in production");
    const names = [...(block?.text ?? "").matchAll(/\b([A-Z_]{6,})=/g)].map(([, name]) => name ?? "");
    const given: Record<string, string> = { ...SECRETS, DATABASE_URL: urlOf(await emptyDatabase()) };
    expect(names.sort()).toEqual(Object.keys(given).sort());
    expect(block?.text.trim().split("\n").at(-1)).toBe("npx millrace serve");
    const service = runService("serve", { env: given });
    await until("it to serve", 60_000, () => /millrace serves/.test(service.output()));
    await service.stop();
  });
});
