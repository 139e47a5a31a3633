import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import { seedLogs } from "../../../server/test/seed/seed-logs.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { type DemoObjects, seedDemoObjects } from "../seed-demo-objects.ts";

let dashboard: Dashboard;
let project: TestProject;
let ids: DemoObjects;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  ids = await seedDemoObjects(dashboard.world, project);
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };
const SLOW = { timeout: 20_000 };

describe("run trace", () => {
  it("shows log lines as moments, warnings and errors in color", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${ids.agentRunId}`);
    const line = page.getByRole("treeitem", { name: "Carrier answered 503" }).first();
    await line.locator("[data-moment].bg-failed").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("keeps the selected attempt in the URL, and shows its request without secrets", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${ids.runId}`);
    await page.getByRole("treeitem", { name: /Attempt 2/ }).click();
    await page.waitForURL(/span=.*attempt/);
    await page.reload();
    await page.getByRole("treeitem", { name: /Attempt 2/, selected: true }).waitFor();
    const chosen = page.getByRole("complementary", { name: "Span" });
    await chosen.getByText(/X-Svc-Signature: •+ \(redacted\)/).waitFor();
    await chosen.getByText("500, with the error above.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("never shows negative durations, also when clocks went back", TIMEOUT, async () => {
    await runSql(
      dashboard.world.connection,
      "update run_transitions set created_at = created_at - interval '3 minutes' where run_id = $1 and to_status = 'completed'",
      [ids.runId],
    );
    await runSql(
      dashboard.world.connection,
      "update runs set finished_at = started_at - interval '2 minutes' where id = $1",
      [ids.runId],
    );
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${ids.runId}`);
    await page.getByRole("tree", { name: "Trace" }).getByRole("treeitem").first().waitFor();
    expect(await page.getByRole("main").innerText()).not.toMatch(/(^|\s)[-−]\d/);
    const widths = await page
      .locator("[data-bar]")
      .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeGreaterThan(0);
  });
});

describe("run log", () => {
  it("scrolls through 5,000 lines without rendering all of them", TIMEOUT, async () => {
    const { run_id } = await runningRun(dashboard.world, project, { accepted: true });
    await seedLogs(dashboard.world.connection, 5_000, { project_id: project.id, run_id });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${run_id}?tab=logs`);
    const log = page.getByRole("log");
    await log.getByText("line 5000", { exact: true }).waitFor();
    for (let round = 0; round < 240 && (await log.getByText("line 1", { exact: true }).count()) === 0; round++) {
      await log.evaluate((node) => node.scrollTo(0, 0));
      await page.waitForTimeout(250);
      expect(await log.getByRole("button").count()).toBeLessThan(120);
    }
    await log.getByText("line 1", { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("a link opens its line, even with a thousand lines after it", TIMEOUT, async () => {
    const { connection } = dashboard.world;
    const given = { project_id: project.id, run_id: ids.agentRunId };
    await seedLogs(connection, 1, { ...given, message: "the one that is meant" });
    await seedLogs(connection, 1_000, { ...given, message: "after % it" });
    const { body } = await project.api.get(`/v1/logs?run_id=${ids.agentRunId}&q=${encodeURIComponent("is meant")}`);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${ids.agentRunId}?tab=logs&line=${body.data[0].id}`);
    await page
      .getByRole("region", { name: "Log line" })
      .getByText("the one that is meant")
      .waitFor({ timeout: 60_000 });
    await page.getByRole("log").getByText("the one that is meant").waitFor();
    await page.getByRole("button", { name: "Copy link to this line" }).click();
    await page.getByText("Link to this line copied").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("wraps long lines on request", TIMEOUT, async () => {
    const message = `${"a long line ".repeat(60)}\nand a second one`;
    await seedLogs(dashboard.world.connection, 1, { project_id: project.id, run_id: ids.agentRunId, message });
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${ids.agentRunId}?tab=logs`);
    const line = page.getByRole("log").getByRole("button").filter({ hasText: "a long line" }).last();
    await line.waitFor();
    expect((await line.boundingBox())?.height).toBe(22);
    await page.getByRole("button", { name: "Wrap lines" }).click();
    await page.getByRole("log").getByText("and a second one").waitFor();
    await expect.poll(async () => (await line.boundingBox())?.height ?? 0, SLOW).toBeGreaterThan(60);
  });
});

describe("run checkpoints", () => {
  it("shows the diff of any two", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${ids.agentRunId}?tab=checkpoints`);
    await page.getByText('"step": "tracked"').first().waitFor();
    const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
    await from.selectOption({ index: 1 });
    await to.selectOption({ index: 0 });
    const diff = page.getByRole("figure").filter({ hasText: "changed line" });
    await diff
      .getByText('removed: "step": "tracked"', { exact: false })
      .or(diff.getByText('"step": "tracked"'))
      .waitFor();
    await diff.getByText('"step": "found"').waitFor();
  });
});
