import { expect, it } from "vitest";
import { followReadme } from "../../../../examples/testing/follow-readme.ts";
import { freePort } from "../../free-port.ts";
import { useServices } from "../../service/start-service.ts";

useServices();

/** The times of a reader who types at once; what he reads and thinks comes on top. */
it("from an empty folder to a workflow that an event has resumed", { timeout: 300_000 }, async () => {
  const startedAt = performance.now();
  const { steps } = await followReadme(await freePort(), await freePort());
  let at = 0;
  const lines = steps.map(({ command, ms }) => {
    at += ms;
    return `${(at / 1_000).toFixed(1).padStart(6)} s   ${(ms / 1_000).toFixed(1).padStart(5)} s   ${command.slice(0, 90)}`;
  });
  console.log(["", "    at      took   what", ...lines, ""].join("\n"));
  expect(steps.at(-1)?.output).toContain("r-A3");
  expect(performance.now() - startedAt).toBeLessThan(300_000);
});
