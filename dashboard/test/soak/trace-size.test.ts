import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import { seedLogs } from "../../../server/test/seed/seed-logs.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

const COUNT = 10_000;
const TIMEOUT = { timeout: 180_000 * SLOWNESS };

let dashboard: Dashboard;
let project: TestProject;
let run_id: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  ({ run_id } = await runningRun(dashboard.world, project, { accepted: true }));
  await seedLogs(dashboard.world.connection, COUNT, { project_id: project.id, run_id });
}, 240_000);

describe("a trace of ten thousand spans", () => {
  it("renders only what is visible, hides its many log lines at first, and finds any of them", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${run_id}`);
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
});
