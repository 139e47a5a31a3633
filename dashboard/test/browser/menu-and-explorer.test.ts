import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { pictureOf } from "../picture-of.ts";

let dashboard: Dashboard;
let project: TestProject;
let runId: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  const { world } = dashboard;
  project = await world.project({ name: "Acme" });
  await world.clock.set(new Date().toISOString());
  const { url } = await jobEndpoint();
  const { body: job } = await project.api.post("/v1/jobs", {
    name: "Send receipt",
    slug: "send-receipt",
    endpoint_url: url,
  });
  const { run_id, sdk } = await runningRun(world, project, { accepted: true, job_id: job.id, payload: {} });
  runId = run_id;
  const lines = Array.from({ length: 30 }, (_, nth) => ({
    level: nth % 5 === 0 ? "error" : "info",
    message: nth % 5 === 0 ? "connection reset by mail server" : `sent receipt ${nth}`,
  }));
  await sdk.post("/log", { logs: lines });
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

async function command(page: Page, text: string, name: string | RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search, run a command, or paste an id").fill(text);
  await page.getByRole("option", { name }).first().waitFor();
  for (let nth = 0; nth < 20; nth++) {
    const isChosen = await page.getByRole("option", { name, selected: true }).count();
    if (isChosen > 0) break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

describe("the command menu", () => {
  it("creates, pauses, searches and opens by keyboard alone, from any page", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "home");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await command(page, "create queue", "Create queue");
    const dialog = page.getByRole("dialog", { name: "Create queue" });
    await dialog.getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await command(page, "pause send", "Pause job Send receipt");
    await page.getByText("Send receipt paused").waitFor();
    expect((await project.api.get("/v1/jobs/send-receipt")).body.paused_at).not.toBeNull();
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await page.getByText("Send receipt resumed").waitFor();
    await command(page, "pause", "Pause job Send receipt"); // a verb alone offers what it applies to
    await page.getByText("Send receipt paused").waitFor();
    await command(page, "resume", "Resume job Send receipt");
    await expect.poll(async () => (await project.api.get("/v1/jobs/send-receipt")).body.paused_at).toBeNull();
    expect((await project.api.get("/v1/jobs/send-receipt")).body.paused_at).toBeNull();
    await command(page, "staging", "Staging");
    await page.waitForURL("**/staging/queues");
    await command(page, "production", "Production");
    await page.waitForURL("**/production/queues");
    await page.keyboard.press("e");
    await page.keyboard.press("2");
    await page.waitForURL((url) => !url.pathname.includes("/production/"));
    await page.keyboard.press("e");
    await page.keyboard.press("1");
    await page.waitForURL("**/production/queues");
    await command(page, "dark", "Switch theme to dark");
    await page.locator("html[data-theme=dark]").waitFor();
    await command(page, "run send", "Trigger job Send receipt");
    await page.getByRole("tab", { name: "Test", selected: true }).waitFor();

    await command(page, runId, /^Cancel run/);
    await page.waitForURL(`**/runs/${runId}`);
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search, run a command, or paste an id").fill("team");
    await page.getByRole("option", { name: "Search runs by tag “team”" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "command-menu");
    await page.getByPlaceholder("Search, run a command, or paste an id").fill("user.id: 42");
    await page.getByRole("option", { name: "Search runs by payload user.id: 42" }).click();
    await page.waitForURL(/runs\?q=payload\.user\.id/);
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();

    await page.keyboard.press("n");
    await page.keyboard.press("v");
    await page.getByRole("dialog", { name: "Add environment" }).waitFor();
    await page.keyboard.press("Escape");
    await command(page, "alert rule", "Create alert rule");
    await page.getByRole("dialog").getByRole("heading", { name: /rule/ }).waitFor();
    await page.keyboard.press("Escape");
    await command(page, "invite", "Invite member");
    await page.getByRole("dialog", { name: /Invite/ }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("logs of the project", () => {
  it("are searched by words, level and job, lead to the run, and are kept as a view", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "logs");
    const grid = page.getByRole("grid", { name: "Logs" });
    await grid.getByText("sent receipt 1").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("level:loud");
    await page.getByRole("alert").getByText("level:loud is not a filter").waitFor();
    await page.getByLabel("Search logs").fill("reset level:error job:send-receipt");
    await grid.getByText("sent receipt").first().waitFor({ state: "detached" });
    await grid.getByText("connection reset by mail server").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "logs");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: "Save this view" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Mail errors");
    await page.getByRole("dialog").getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: "Mail errors" }).waitFor();
    const { body } = await project.api.get("/v1/saved-views?resource=logs");
    expect(body.data[0].query).toEqual({ q: "reset level:error job:send-receipt" });
    await page.getByRole("button", { name: "Follow", exact: true }).click();
    await page.getByRole("button", { name: "Following" }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("dashboards", () => {
  it("are made of charts, shared by their URL, changed with undo, and deleted", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "explore?group=job&since=1h");
    const menu = page.getByRole("button", { name: "Dashboards" });
    await menu.press("Enter");
    await page.getByRole("menuitem", { name: "New dashboard with this chart" }).press("Enter");
    await page.getByRole("dialog").getByLabel("Name").fill("Shop");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
    await go(project, "explore?source=costs&as=table&since=1h");
    await menu.click();
    await page.getByRole("menuitem", { name: "Shop" }).last().click(); // the first opens it
    await page.getByText("Chart added to Shop").waitFor();
    const shared = page.url();
    const { page: other, pageErrors: otherErrors } = await dashboard.signedIn();
    await other.goto(shared);
    await other.getByRole("region", { name: "Runs: Created by job" }).locator("canvas").waitFor();
    const costs = other.getByRole("region", { name: "Costs: Total cost", exact: true }).first();
    await costs.getByRole("row").nth(1).waitFor();
    expect(await seriousFindings(other)).toEqual([]);
    await pictureOf(other, "explore-dashboard");
    await other.getByRole("button", { name: "Remove Costs: Total cost" }).click();
    await costs.waitFor({ state: "detached" });
    await other.getByRole("button", { name: "Undo" }).click();
    await costs.waitFor();
    await other.getByRole("button", { name: "Delete dashboard" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Delete dashboard" }).click();
    await other.getByRole("heading", { level: 1, name: "Explore" }).waitFor();
    await page.reload();
    await page.getByText("Dashboard not found").waitFor();
    expect([...pageErrors, ...otherErrors].filter((error) => !error.includes("404"))).toEqual([]);
  });
});

describe("the explorer", () => {
  it("shows metric by group as line, bar, heat map and table, and exports CSV and PNG", TIMEOUT, async () => {
    // More jobs than lines, all of them without runs and before the other by name.
    const names = Array.from({ length: 8 }, (_, nth) => ({ name: `Idle ${nth}`, slug: `idle-${nth}` }));
    for (const job of names) await project.api.post("/v1/jobs", { ...job, endpoint_url: "https://example.com/idle" });
    await dashboard.world.runUntilIdle();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "explore?group=job&since=1h");
    await page.getByText("Runs: Created by job").waitFor();
    await page.getByText("Showing 8 of 9, the busiest first.").waitFor();
    await page.locator("figure canvas").first().waitFor();
    await pictureOf(page, "explore-line");
    for (const kind of ["Bar", "Heat map", "Table"]) {
      await page.getByRole("button", { name: kind, exact: true }).click();
      await page.locator("main :is(figure, section)").getByText("Send receipt").first().waitFor();
      expect(await seriousFindings(page)).toEqual([]);
    }
    await page.getByRole("button", { name: "Heat map", exact: true }).click();
    await pictureOf(page, "explore-heat");
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).first().click(),
    ]);
    expect(csv.suggestedFilename()).toMatch(/Runs.* Created by job\.csv/);
    const [png] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download PNG" }).click(),
    ]);
    expect(png.suggestedFilename()).toMatch(/\.png$/);
    await page.getByLabel("Filter").selectOption("idle-3");
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await expect.poll(() => page.getByRole("columnheader").allTextContents()).toEqual(["Time", "Idle 3"]);
    await page.getByLabel("Filter").selectOption("");
    await page.getByLabel("Group by").selectOption("trigger");
    await expect.poll(() => page.getByRole("columnheader").allTextContents()).toContain("api");
    await page.getByLabel("Metric").selectOption("p95_ms");
    await page.getByText("Runs by trigger: only counts are kept").waitFor();
    await page.getByLabel("Group by").selectOption("version");
    await expect.poll(() => page.getByRole("columnheader").allTextContents()).toContain("send-receipt v1");
    for (const source of ["workflow_runs", "events", "webhooks", "costs"]) {
      await page.getByLabel("Data").selectOption(source);
      await page.waitForTimeout(300);
    }
    await page
      .getByText(/Costs: Total cost/)
      .first()
      .waitFor();
    expect(pageErrors).toEqual([]);
  });
});
