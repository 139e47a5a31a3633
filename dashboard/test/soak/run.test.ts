import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/job-endpoint.ts";
import { runningRun, sealHeaders } from "../../../server/test/running-run.ts";
import { seedLogs } from "../../../server/test/seed-logs.ts";
import { seedRun, seedRuns } from "../../../server/test/seed-run.ts";
import { seedTrigger } from "../../../server/test/seed-trigger.ts";
import type { TestProject } from "../../../server/test/world.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
}, 180_000);

const PATIENCE = { timeout: 120_000 };

describe("run", () => {
  it("scrolls through 5,000 lines without holding them in the document", PATIENCE, async () => {
    const { run_id } = await runningRun(dashboard.world, project, { accepted: true });
    await seedLogs(dashboard.world.connection, 5_000, { project_id: project.id, run_id });
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, `runs/${run_id}?tab=logs`);
    const log = page.getByRole("log");
    await log.getByText("line 5000", { exact: true }).waitFor();
    for (let turn = 0; turn < 240 && (await log.getByText("line 1", { exact: true }).count()) === 0; turn++) {
      await log.evaluate((node) => node.scrollTo(0, 0));
      await page.waitForTimeout(250);
      expect(await log.getByRole("button").count()).toBeLessThan(120);
    }
    await log.getByText("line 1", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it("shows progress from nothing to all of it as it is told", PATIENCE, async () => {
    const { run_id, sdk } = await runningRun(dashboard.world, project, { accepted: true });
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${run_id}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(1_000);
    for (const percent of [0, 35, 70, 100]) {
      await sdk.post("/progress", { percent, message: `At ${percent}` });
      await page.getByText(`At ${percent}`, { exact: true }).waitFor();
      await page.getByText(`${percent}%`, { exact: true }).waitFor();
    }
  });

  it("is found by its payload, read and replayed with an edit, by the keyboard alone", PATIENCE, async () => {
    const job = await project.api.post("/v1/jobs", { name: "Charge card", endpoint_url: (await jobEndpoint()).url });
    const failed = await seedRun(dashboard.world.connection, project.id, {
      job_id: job.body.id,
      job_version_id: job.body.version_id,
      status: "failed",
      payload: { order: 4711 },
      error: { code: "endpoint_error", message: "card declined" },
    });
    await sealHeaders(dashboard.world, project.id);
    const { page, go } = await dashboard.signedIn();
    await go(project, "runs");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("status:failed payload.order:4711");
    await page.keyboard.press("Enter");
    await page.waitForURL(/4711/);
    await page.getByRole("grid", { name: "Runs" }).getByText("Charge card").waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(failed));
    await page.getByText("card declined").first().waitFor();
    await page.keyboard.press("r");
    const payload = page.getByRole("textbox", { name: "Payload" });
    await payload.waitFor();
    while (!(await payload.evaluate((node) => node === document.activeElement))) await page.keyboard.press("Tab");
    await page.keyboard.press("Control+a");
    await page.keyboard.type('{"order": 4712}');
    const send = page.getByRole("button", { name: "Replay with edits" });
    while (!(await send.evaluate((node) => node === document.activeElement))) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname.includes("/runs/") && !url.pathname.includes(failed));
  });
});

describe("batch operation", () => {
  it("goes to its end before one's eyes, also after a reload on the way", PATIENCE, async () => {
    const other = await dashboard.world.project();
    const runs = Array.from({ length: 150 }, () => ({ status: "pending" as const }));
    await seedRuns(dashboard.world.connection, other.id, runs);
    const { body } = await other.api.post("/v1/runs/bulk-cancel-all", { filter: { status: "pending" } });
    const { page, go } = await dashboard.signedIn();
    await go(other, `batch-operations/${body.id}`);
    await page.getByText("0/150").waitFor();
    await page.reload();
    await page.getByText("0/150").waitFor();
    await page.waitForTimeout(1_000);
    while (await dashboard.world.tick("work-on-batches"));
    await page.getByText("150/150 · 100%").waitFor();
    const { body: told } = await other.api.get(`/v1/batch-operations/${body.id}`);
    expect(told).toMatchObject({ total: 150, processed: 150, status: "completed" });
  });
});

describe("jobs", () => {
  it("of a hundred items two are refused, and only those are sent again", PATIENCE, async () => {
    const schema = { type: "object", properties: { n: { type: "integer", minimum: 1 } } };
    const endpoint_url = (await jobEndpoint()).url;
    const { body: job } = await project.api.post("/v1/jobs", { name: "Bulk", endpoint_url, payload_schema: schema });
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${job.id}?tab=bulk`);
    const items = Array.from({ length: 100 }, (_, nth) => ({ n: nth === 7 || nth === 70 ? 0 : nth + 1 }));
    await page.getByLabel(/^Items/).fill(JSON.stringify(items));
    await page.getByRole("button", { name: "Trigger 100 runs" }).click();
    await page.getByText("98 runs accepted, 2 refused").waitFor();
    await page.getByRole("button", { name: "Keep only the refused" }).click();
    await page.getByRole("button", { name: "Trigger 2 runs" }).waitFor();
  });
});

describe("events", () => {
  it("a wait that runs out while it is looked at is told of", PATIENCE, async () => {
    const other = await dashboard.world.project();
    await seedTrigger(dashboard.world.connection, other.id, { event_key: "too-late", timeout_secs: 60 });
    await sealHeaders(dashboard.world, other.id);
    const { page, go } = await dashboard.signedIn();
    await go(other, "events");
    await page.getByRole("grid", { name: "Events" }).getByText("too-late").waitFor();
    await page.waitForTimeout(1_000);
    await dashboard.world.clock.pass("2m");
    await dashboard.world.runUntilIdle();
    await page.getByRole("button", { name: "Timed out 1" }).waitFor();
  });
});
