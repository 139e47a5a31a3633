import { join } from "node:path";
import { expect, it } from "vitest";
import { followReadme, ROOT } from "../../../../examples/testing/follow-readme.ts";
import { freePort } from "../../outside/free-port.ts";
import { useServices } from "../../service/start-service.ts";

useServices();

/** The times of a user who types immediately; reading and thinking come on top. */
it("the README leads to a workflow resumed by an event within five minutes", { timeout: 300_000 }, async () => {
  const startedAt = performance.now();
  const { steps, banner, worker } = await followReadme(await freePort(), await freePort());
  const step = (part: string) => steps.find(({ command }) => command.includes(part));
  let at = 0;
  const lines = steps.map(({ command, ms }) => {
    at += ms;
    return `${(at / 1_000).toFixed(1).padStart(6)} s   ${(ms / 1_000).toFixed(1).padStart(5)} s   ${command.slice(0, 90)}`;
  });
  console.log(["", "    at      took   what", ...lines, ""].join("\n"));
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
  expect(performance.now() - startedAt).toBeLessThan(300_000);
});
