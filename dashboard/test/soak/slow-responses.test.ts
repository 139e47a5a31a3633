import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { delayResponses } from "../delay-responses.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { type DemoObjects, seedDemoObjects } from "../seed-demo-objects.ts";
import { seedDemoRuns } from "../seed-demo-runs.ts";
import { type DemoWorkflows, seedDemoWorkflows } from "../seed-demo-workflows.ts";

/** Pages while their responses are delayed. */
let dashboard: Dashboard;
let project: TestProject;
let ids: DemoObjects;
let workflows: DemoWorkflows;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  await seedDemoRuns(dashboard.world, project);
  ids = await seedDemoObjects(dashboard.world, project);
  workflows = await seedDemoWorkflows(dashboard.world, project);
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };
const SLOW = { timeout: 20_000 * SLOWNESS };

describe("while responses are delayed", () => {
  it("the run panel shows no attempts of the previous run", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs?peek=${ids.runId}`);
    const panel = page.getByRole("complementary", { name: "Run" });
    await panel.getByText("Attempt 3").waitFor();
    const response = await delayResponses(page, /\/attempts\?/);
    const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
    // Not the middle, which may be a link to the page of the run.
    await rows.and(page.locator(":not([aria-current=true])")).nth(4).getByRole("gridcell").nth(1).click();
    await page.waitForURL((url) => url.searchParams.get("peek") !== ids.runId);
    await panel.getByRole("status", { name: "Loading" }).waitFor();
    expect(await panel.getByText("Attempt 3").count()).toBe(0);
    response();
    await panel.getByRole("list", { name: "Timeline" }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("a list shows no rows of the previous environment", TIMEOUT, async () => {
    await project.api.post("/v1/environments", { name: "Quiet", slug: "quiet" });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs");
    const grid = page.getByRole("grid", { name: "Runs" });
    await grid.getByRole("row").nth(3).waitFor();
    const response = await delayResponses(page, /environment_id=quiet/);
    await page.getByRole("button", { name: "Environment: Production" }).click();
    await page.getByRole("menuitem", { name: "Quiet" }).click();
    await page.waitForURL(/\/quiet\/runs/);
    await expect.poll(() => grid.getByRole("row").count(), SLOW).toBe(1); // the header row
    expect(await page.getByText("No runs yet").count()).toBe(0);
    response();
    await page.getByText("No runs yet").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("rows of the previous filter are marked as stale, and its empty state does not carry over", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs?q=status:failed");
    const grid = page.getByRole("grid", { name: "Runs" });
    await grid.getByRole("row").nth(1).waitFor();
    const isBusy = () => grid.getAttribute("aria-busy");
    const filter = page.getByRole("combobox", { name: "Filter" });
    const response = await delayResponses(page, /tag%3Anobody/);
    await filter.fill("tag:nobody");
    await filter.press("Enter");
    await expect.poll(isBusy, SLOW).toBe("true");
    expect(await grid.getByRole("row").count()).toBeGreaterThan(1);
    response();
    await page.getByText("No runs match this filter").waitFor();
    expect(await isBusy()).toBe("false");
    const respondAll = await delayResponses(page, /\/v1\/runs\?limit=50&environment_id=production$/);
    await page.getByRole("button", { name: "Clear filter" }).click();
    await expect.poll(isBusy, SLOW).toBe("true");
    expect(await page.getByText("No runs yet").count()).toBe(0);
    respondAll();
    await grid.getByRole("row").nth(3).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("analytics of the previous range are marked as stale", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "analytics");
    const body = page.locator("[aria-busy]", { has: page.getByRole("tablist") });
    await page.getByRole("figure").filter({ hasText: "Finished runs" }).locator("ol").waitFor();
    await expect.poll(() => body.getAttribute("aria-busy"), SLOW).toBe("false");
    const response = await delayResponses(page, /\/v1\/analytics\//);
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await expect.poll(() => body.getAttribute("aria-busy"), SLOW).toBe("true");
    response();
    await expect.poll(() => body.getAttribute("aria-busy"), SLOW).toBe("false");
    expect(pageErrors).toEqual([]);
  });

  it("no empty charts or counts are shown, and nothing shifts when data arrives", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const response = await delayResponses(page, /\/v1\/analytics\/|\/health\/ready/);
    await go(project, "home");
    const chart = page.getByRole("figure").filter({ hasText: "Throughput" });
    await chart.waitFor();
    expect(await chart.locator("ol").count()).toBe(0); // no axis, which would look like no data
    expect(await page.getByText(/checks pass/).count()).toBe(0);
    expect(await chart.getByRole("button", { name: "Download CSV" }).getAttribute("aria-disabled")).toBe("true");
    response();
    await page.getByText(/^\d+ checks pass/).waitFor();
    await chart.locator("ol").waitFor();
    const sendJob = await delayResponses(page, /\/v1\/analytics\//);
    await go(project, `jobs/${ids.jobId}`);
    const below = page.getByRole("heading", { name: "Configuration" });
    await below.waitFor();
    const before = await below.boundingBox();
    sendJob();
    await page.getByText(/finished, mean/).waitFor();
    expect(await below.boundingBox()).toEqual(before);
    expect(pageErrors).toEqual([]);
  });

  it("no cell shows a dash while loading", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    for (const [path, name, header] of [
      ["jobs", "Jobs", "Success"],
      ["workflows", "Workflows", "Schedule"],
    ] as const) {
      const response = await delayResponses(page, /\/v1\/(schedules|analytics\/|runs\?status=running)/);
      await go(project, path);
      const grid = page.getByRole("grid", { name });
      await grid.getByRole("gridcell").first().waitFor();
      const place = (await grid.getByRole("columnheader").allInnerTexts()).indexOf(header);
      const cells = grid.locator(`[role=gridcell]:nth-child(${place + 1})`);
      expect(new Set(await cells.allInnerTexts())).toEqual(new Set([""]));
      response();
      await cells.getByText("–", { exact: true }).first().waitFor();
    }
    expect(pageErrors).toEqual([]);
  });

  it("no empty state and no default approver is shown before data is loaded", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const sendRuns = await delayResponses(page, /\/v1\/runs\?/);
    await go(project, `jobs/${ids.jobId}?tab=limits`);
    await page.getByRole("heading", { name: "Busiest concurrency keys" }).waitFor();
    expect(await page.getByText(/No runs with a concurrency key/).count()).toBe(0);
    sendRuns();
    await page.getByText(/No runs with a concurrency key/).waitFor();
    const sendVersion = await delayResponses(page, /\/v1\/workflows\/[^/]+\/versions\//);
    await go(project, `workflow-runs/${workflows.waiting}?step=release`);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await page.getByText(/can decide|Approvers/).count()).toBe(0);
    sendVersion();
    await page.getByText("Anyone with the workflows:write scope can decide.").waitFor();
    const sendDeliveries = await delayResponses(page, /\/v1\/webhook-deliveries\?/);
    await go(project, "webhook-deliveries");
    await page.getByRole("button", { name: "Retry all matching" }).hover();
    await page.getByRole("tooltip").getByText("Still loading.").waitFor();
    sendDeliveries();
    await page.getByRole("tooltip").getByText("No failed deliveries in this list.").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("the save dialog does not show zero runs in flight while counting", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflows/${workflows.slug}?tab=settings`);
    await page.getByLabel("Max. parallel steps").fill("3");
    const response = await delayResponses(page, /\/active-versions/);
    await page.getByRole("button", { name: "Review and save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/in flight on version \d+ are being counted/).waitFor();
    response();
    await dialog.getByText(/\d+ runs? in flight/).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("a run of an older version shows neither the current version nor a missing schema", TIMEOUT, async () => {
    const { body: job } = await project.api.post("/v1/jobs", { name: "Old", endpoint_url: "https://example.com/old" });
    const { body: run } = await project.api.post(`/v1/jobs/${job.id}/trigger`, {});
    await project.api.post(`/v1/runs/${run.id}/cancel`, {});
    await project.api.patch(`/v1/jobs/${job.id}`, { endpoint_url: "https://example.com/new" });
    const { page, go, pageErrors } = await dashboard.signedIn();
    const answerJob = await delayResponses(page, new RegExp(`/v1/jobs/${job.id}$`));
    const sendVersion = await delayResponses(page, new RegExp(`/v1/jobs/${job.id}/versions/`));
    await go(project, `runs/${run.id}`);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Replay run").first().waitFor();
    expect(await dialog.getByText(/payload schema/).count()).toBe(0);
    answerJob();
    await dialog.getByText("The job has no payload schema").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Old" }).waitFor();
    expect(await page.getByText("https://example.com/new").count()).toBe(0);
    sendVersion();
    await page.getByText("1 (current version is 2)").waitFor();
    await page.getByText("https://example.com/old").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("a button keeps its focus when it becomes enabled", TIMEOUT, async () => {
    const rest = (sleep_duration: string) => [{ step_ref: "rest", type: "sleep", sleep_duration }];
    const { body } = await project.api.post("/v1/workflows", { name: "Rest", steps: rest("1h") });
    await project.api.patch(`/v1/workflows/${body.id}`, { steps: rest("2h"), activate: false });
    const { page, go, pageErrors } = await dashboard.signedIn();
    const response = await delayResponses(page, /\/versions\?/);
    await go(project, `workflows/${body.slug}?tab=canary`);
    const button = page.getByRole("button", { name: "Start canary" });
    await button.focus();
    expect(await button.isEnabled()).toBe(false);
    response();
    await expect.poll(() => button.isEnabled(), SLOW).toBe(true);
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(pageErrors).toEqual([]);
  });
});
