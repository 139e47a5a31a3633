import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type RunningRun, runningRun } from "../../../server/test/seed/running-run.ts";
import { seedLogs } from "../../../server/test/seed/seed-logs.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { cpuTime } from "./cpu-time.ts";
import { idleLimit } from "./idle-limit.ts";
import { framesWhileScrolling, interactionTimes, watchInteractions } from "./interaction-times.ts";

const COUNT = 10_000;
const TIMEOUT = { timeout: 180_000 * SLOWNESS };

let dashboard: Dashboard;
let project: TestProject;
let run: RunningRun;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  run = await runningRun(dashboard.world, project, { accepted: true });
  await seedLogs(dashboard.world.connection, COUNT, { project_id: project.id, run_id: run.run_id });
}, 240_000);

describe("a trace of ten thousand spans", () => {
  it("renders only what is visible, hides its many log lines at first, and finds any of them", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${run.run_id}`);
    const tree = page.getByRole("tree", { name: "Trace" });
    await page.getByText("10,003 spans").waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(10);
    await page.getByRole("button", { name: "Log lines and checkpoints" }).click();
    await tree.getByRole("treeitem", { name: "line 1", exact: true }).waitFor();
    await tree.getByRole("treeitem").first().focus();
    await page.keyboard.press("End");
    await tree.getByRole("treeitem", { name: "line 10000", exact: true }).waitFor();
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(120);
    await page.getByRole("searchbox", { name: "Search the trace" }).fill("line 7777");
    await page.getByText("1 match", { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("responds to keys within 100 ms, and has time for fifty frames a second while it scrolls", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${run.run_id}`);
    await page.getByText("10,003 spans").waitFor();
    await page.getByRole("button", { name: "Log lines and checkpoints" }).click();
    const tree = page.getByRole("tree", { name: "Trace" });
    await tree.getByRole("treeitem", { name: "line 1", exact: true }).waitFor();
    await tree.getByRole("treeitem").first().focus();
    await watchInteractions(page);
    const keys = ["ArrowDown", "PageDown", "ArrowUp", "Enter", "+", "Shift+ArrowRight", "-", "End", "Home"];
    for (let nth = 0; nth < 40; nth++) await page.keyboard.press(keys[nth % keys.length] as string);
    const { p95 } = await interactionTimes(page, 40);
    expect(p95).toBeLessThan(idleLimit(100));
    const busy = await cpuTime(page);
    const frames = await tree.evaluate(framesWhileScrolling, { rowPx: 28, seconds: 4 });
    const perFrameMs = (await busy()) / (frames * 4);
    console.log(`${frames} frames a second while scrolling a trace, ${perFrameMs.toFixed(1)} ms of CPU each`);
    expect(perFrameMs).toBeLessThan(20);
  });

  it("loads to its end while the run keeps reporting", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await page.route(/\/trace\?/, async (route) => {
      await pause(150);
      await route.continue();
    });
    let isLoaded = false;
    const reporting = (async () => {
      for (let percent = 0; !isLoaded; percent = (percent + 1) % 100) {
        await run.sdk.post("/progress", { percent });
        await pause(300);
      }
    })();
    await go(project, `runs/${run.run_id}`);
    await page.getByText("10,003 spans").waitFor({ timeout: 40_000 * SLOWNESS });
    isLoaded = true;
    await reporting;
  });
});
