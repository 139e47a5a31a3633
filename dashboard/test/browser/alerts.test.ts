import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { seedLives } from "../../../server/test/seed/seed-lives.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  await fail(12);
}, 300_000);

const TIMEOUT = { timeout: 240_000 * SLOWNESS };

/** Runs that failed for good a minute ago, and are in the dead-letter queue. */
async function fail(count: number): Promise<void> {
  const { world } = dashboard;
  await runSql(world.connection, "update projects set created_at = clock() - interval '9 days' where id = $1", [
    project.id,
  ]);
  const job = (await project.api.post("/v1/jobs", { name: "Ship order", delivery: "pull" })).body;
  const environment_id = (await project.api.get("/v1/environments/production")).body.id as string;
  const at = new Date(Date.parse(await world.clock.now()) - 60_000).toISOString();
  const error = { error: { code: "http_500", message: "no stock for order 17" }, http_status: 500 };
  await seedLives(
    world.connection,
    project.id,
    Array.from({ length: count }, () => ({
      ...{ job_id: job.id, job_version_id: job.version_id, environment_id, created_at: at, started_at: at },
      ...{ ...error, ended_at: at, status: "failed" as const },
    })),
  );
  await runSql(world.connection, "update runs set dead_lettered_at = clock() where project_id = $1", [project.id]);
  while (await world.tick("sum-changes"));
}

describe("alerts", () => {
  it("a rule is previewed, created, fires, is silenced and tested", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ key: project.key });
    const receiver = await jobEndpoint();
    await go(project, "alerts?tab=channels");
    await page.getByRole("button", { name: "Create channel" }).first().click();
    await page.getByLabel("Name").fill("Night");
    await page.getByLabel("Kind").selectOption("webhook");
    await page.getByLabel("URL", { exact: true }).fill(receiver.url);
    await page.getByRole("dialog").getByRole("button", { name: "Create channel" }).click();
    await page.getByRole("grid", { name: "Alert channels" }).getByText("Night").waitFor();
    expect(await page.content()).not.toContain(`${receiver.url}"`);

    await page.getByRole("button", { name: "Rules" }).click();
    await page.getByRole("button", { name: "Create rule" }).first().click();
    const form = page.getByRole("dialog");
    await form.getByLabel("Name").fill("Runs fail");
    await form.getByLabel("Above (% of runs)").fill("50");
    await form.getByLabel("Night").check();
    await form.getByLabel("Runbook").fill("See https://wiki.example.com/stock.");
    await form.getByRole("button", { name: "Preview last week" }).click();
    await form.getByText("It would have fired 1 time in the last 7d").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await form.getByRole("button", { name: "Create rule" }).click();
    const grid = page.getByRole("grid", { name: "Alert rules" });
    await grid.getByText("Runs fail").waitFor();

    while (await dashboard.world.tick("evaluate-alert-rules"));
    await page.getByRole("button", { name: "Refresh" }).click();
    await grid.getByText("Firing").waitFor();
    await grid.getByText("Runs fail").click();
    const panel = page.getByRole("complementary", { name: "Alert rule" });
    await panel.getByRole("link", { name: "https://wiki.example.com/stock" }).waitFor();
    await panel.getByRole("button", { name: "Silence" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Silence rule" }).click();
    await panel.getByRole("button", { name: "End silence" }).waitFor();
    await panel.getByRole("button", { name: "Test" }).click();
    await page.getByText("1 test notification sent").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.reload();
    await page.getByRole("navigation", { name: "Main" }).getByText("1 firing").waitFor();
    await page.getByRole("button", { name: "Alerts", exact: true }).click();
    await page.getByRole("grid", { name: "Alerts" }).getByText("Runs fail").click();
    const about = page.getByRole("complementary", { name: "Alert" });
    await about.getByRole("link", { name: "Failed runs" }).waitFor();
    await about.getByRole("link", { name: "View rule" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("offers a viewer nothing that changes a rule", TIMEOUT, async () => {
    const { key } = await project.newKey({ scopes: ["alerts:read"] });
    const { page, go } = await dashboard.signedIn({ key });
    await go(project, "alerts?tab=rules");
    const create = page.getByRole("button", { name: "Create rule" }).first();
    await create.waitFor();
    expect(await create.getAttribute("aria-disabled")).toBe("true");
  });
});

describe("errors", () => {
  it("an issue is assigned, its runs are replayed, and it is resolved", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ key: project.key });
    await go(project, "error-issues");
    await page.getByRole("img", { name: "12 failed attempts in the last 14 days" }).waitFor();
    await page.getByRole("grid", { name: "Error issues" }).getByText("no stock for order").dblclick();
    await page.getByText("Failed runs").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Assign" }).click();
    await page.getByLabel("Assigned to").fill("Ada");
    await page.getByRole("dialog").getByRole("button", { name: "Assign issue" }).click();
    await page.getByText("Assigned to Ada").waitFor();
    await page.getByRole("button", { name: "Replay runs" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Replay 12 runs" }).click();
    await page.getByText("Replayed 12 runs").waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByRole("button", { name: "Reopen" }).waitFor();
    await go(project, "error-issues?status=resolved");
    await page.getByRole("grid", { name: "Error issues" }).getByText("Ada").waitFor();
    expect(pageErrors).toEqual([]);
  });
});
