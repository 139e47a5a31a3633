import { beforeAll, describe, expect, it } from "vitest";
import { seedRun, seedRuns } from "../../../server/test/seed/seed-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { delayResponses } from "../delay-responses.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { seedDemoRuns } from "../seed-demo-runs.ts";
import { streamOf } from "../stream-of.ts";

let dashboard: Dashboard;
let project: TestProject;
let jobs: string[];
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  jobs = await seedDemoRuns(dashboard.world, project);
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

describe("runs", () => {
  it(
    "lists runs without serious axe findings, keeps filter and panel in the URL, and distinguishes numbers from strings",
    TIMEOUT,
    async () => {
      const { page, go, pageErrors, requests } = await dashboard.signedIn();
      await go(project, "runs");
      const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
      await rows.nth(5).waitFor();
      const filter = page.getByRole("combobox", { name: "Filter" });
      await filter.fill('payload.user.id:"42"');
      await filter.press("Enter");
      await page.getByText("No runs match this filter").waitFor();
      await page.getByRole("button", { name: "Clear filter" }).click();
      await filter.fill("payload.user.id:42");
      await filter.press("Enter");
      await page.waitForURL(/q=payload\.user\.id%3A42/);
      const isRequested = () => requests.some((requested) => requested.includes("q=payload.user.id%3A42"));
      await expect.poll(isRequested, { timeout: 20_000, message: "the filter to be requested" }).toBe(true);
      await page.locator("[role=grid][aria-busy=false]").waitFor(); // rows of the previous filter are shown until then
      await rows.nth(1).getByRole("gridcell").last().click(); // others have links
      await page.waitForURL(/peek=/);
      await page.reload();
      await page.getByRole("complementary", { name: "Run" }).getByText("Payload").waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );

  it("opens the run of the URL even if it is not among the rows", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const { body } = await project.api.get("/v1/runs?status=completed&limit=1");
    await go(project, `runs?q=status:failed&peek=${body.data[0].id}`);
    const panel = page.getByRole("complementary", { name: "Run" });
    await panel.getByText("Completed").waitFor();
    await panel.getByRole("button", { name: "Close panel" }).click();
    await page.waitForURL((url) => !url.searchParams.has("peek"));
    expect(await panel.count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it("underlines a syntax error and sends no request", TIMEOUT, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "runs");
    const filter = page.getByRole("combobox", { name: "Filter" });
    await filter.fill("status:done");
    await filter.press("Escape");
    await page
      .getByRole("alert")
      .getByText(/must be one of/)
      .waitFor();
    expect(requests.filter((requested) => requested.includes("done"))).toEqual([]);
  });

  it("patches rows in place, counts new ones and moves nothing while rows are selected", TIMEOUT, async () => {
    const { page, go, pageErrors, requests } = await dashboard.signedIn();
    await go(project, "runs");
    const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
    await rows.nth(3).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const place = rows.nth(1).getByRole("link").first();
    const first = await place.getAttribute("href");
    await rows.nth(1).getByRole("checkbox").click();
    const before = requests.length;
    const job_id = jobs[0] ?? "";
    const { body } = await project.api.post(`/v1/jobs/${job_id}/trigger`, { payload: { from: "test" } });
    await project.api.post(`/v1/runs/${body.id}/cancel`, {});
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await place.getAttribute("href")).toBe(first);
    expect(requests.slice(before).filter((requested) => requested.includes("/v1/runs"))).toEqual([]);
    await page.getByRole("button", { name: "1 new" }).click();
    await rows.nth(1).getByText("Canceled").waitFor();
    // Parts of the page that appear late subscribe with a new stream; rows and changes do not.
    const streams = requests.filter((requested) => requested.includes("/v1/stream")).length;
    expect(streams).toBeLessThan((await rows.count()) / 2);
    expect(pageErrors).toEqual([]);
  });

  it("counts as new only what belongs to the environment and the job of the filter", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const [{ slug }, { slug: other }] = await Promise.all(
      [jobs[0], jobs[1]].map(async (id) => (await project.api.get(`/v1/jobs/${id}`)).body),
    );
    await go(project, `runs?q=job:${slug}`);
    await page.getByRole("grid", { name: "Runs" }).getByRole("row").nth(1).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const trigger = (job: string, environment_id: string) =>
      project.api.post(`/v1/jobs/${job}/trigger`, { environment_id });
    await trigger(slug, "staging");
    await trigger(other, "production");
    await trigger(slug, "production");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    await go(project, "runs", "staging");
    const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
    await rows.nth(1).waitFor();
    expect(await rows.count()).toBe(2); // with the header
    expect(pageErrors).toEqual([]);
  });

  it("cancels all matching runs after showing their count", TIMEOUT, async () => {
    const other = await dashboard.world.project();
    await seedRuns(
      dashboard.world.connection,
      other.id,
      Array.from({ length: 120 }, () => ({ status: "pending" as const, tags: { wave: "1" } })),
    );
    await seedRun(dashboard.world.connection, other.id, { status: "completed" });
    const { page, go } = await dashboard.signedIn();
    await go(other, "runs?q=tag:wave");
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
    await page.getByRole("button", { name: "Select all matching" }).click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Cancel 120 runs" }).click();
    await page.waitForURL(/batch-operations\//);
    while (await dashboard.world.tick("work-on-batches"));
    await page.getByText("120/120 · 100%").waitFor();
    const { body } = await other.api.get("/v1/runs?status=pending");
    expect(body.data).toEqual([]);
  });

  it("shows a viewer why buttons are disabled", TIMEOUT, async () => {
    const viewer = await project.newKey({ scopes: ["runs:read", "jobs:read", "projects:read", "environments:read"] });
    const { page, go } = await dashboard.signedIn({ key: viewer.key });
    await go(project, "runs");
    await page.getByRole("grid", { name: "Runs" }).getByRole("row").nth(1).getByRole("checkbox").click();
    const cancel = page.getByRole("button", { name: "Cancel", exact: true });
    await expect
      .poll(() => cancel.getAttribute("aria-disabled"), { timeout: 20_000, message: "the button to be disabled" })
      .toBe("true");
    await cancel.hover();
    await page.getByRole("tooltip").getByText("You need the runs:write scope for this.").waitFor();
  });

  it("has no rows and no serious axe findings while loading", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn({ size: { width: 390, height: 844 } });
    const response = await delayResponses(page, /\/v1\/runs\?/);
    await go(project, "runs");
    const grid = page.getByRole("grid", { name: "Runs" });
    await expect
      .poll(() => grid.getAttribute("aria-busy"), { timeout: 20_000, message: "the grid to be busy" })
      .toBe("true");
    expect(await grid.getByRole("row").count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    response();
    await grid.getByRole("row").nth(3).waitFor();
  });

  it("fits a phone without horizontal scrolling", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ size: { width: 390, height: 844 }, theme: "dark" });
    await go(project, "runs");
    await page.getByRole("grid", { name: "Runs" }).getByRole("row").nth(3).click();
    await page.getByRole("dialog").getByText("Payload").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

describe("live", () => {
  it("two tabs share one stream, and the second takes over when the first closes", TIMEOUT, async () => {
    const { context, page, go } = await dashboard.signedIn();
    await go(project, "runs");
    await page.getByText("Live", { exact: true }).waitFor();
    const second = await context.newPage();
    // The first tab may reopen its stream when a part of a page subscribes later; the second one must not have any.
    const streams: string[] = [];
    second.on("request", (request) => request.url().includes("/v1/stream") && streams.push(request.url()));
    await second.goto(page.url());
    await second.getByText("Live", { exact: true }).waitFor();
    expect(streams).toEqual([]);
    const takenOver = streamOf(second, "runs");
    await page.close();
    await takenOver;
    await project.api.post(`/v1/jobs/${jobs[1]}/trigger`, {});
    await second.getByRole("button", { name: "1 new" }).waitFor();
  });
});
