import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/job-endpoint.ts";
import type { TestProject } from "../../../server/test/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
let job: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  const { url } = await jobEndpoint();
  const { body } = await project.api.post("/v1/jobs", {
    name: "Send receipt",
    endpoint_url: url,
    cron: "0 6 * * 1-5",
    timezone: "Europe/Berlin",
    payload_schema: { type: "object", required: ["order"], properties: { order: { type: "integer", minimum: 1 } } },
  });
  job = body.id;
}, 180_000);

const PATIENCE = { timeout: 60_000 };

describe("jobs", () => {
  it("lists with the schedule in words, pauses where it stands, and opens the job", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "jobs");
    const grid = page.getByRole("grid", { name: "Jobs" });
    await grid.getByText("At 06:00, Monday through Friday").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await grid.getByRole("button", { name: "Pause Send receipt" }).click();
    await grid.getByText("Paused").waitFor();
    await grid.getByRole("button", { name: "Resume Send receipt" }).click();
    await grid.getByText("Active").waitFor();
    await grid.getByRole("link", { name: /Send receipt/ }).click();
    await page.waitForURL(/jobs\/./);
    await page.getByRole("tab", { name: "Schedule" }).click();
    await page.getByText("Next times").waitFor();
    const { body } = await project.api.get(`/v1/jobs/${job}/schedule`);
    expect(await page.getByRole("main").getByRole("listitem").count()).toBe(body.next_fire_times.length);
    expect(faults).toEqual([]);
  });

  it("triggers what the schema takes, and shows the run beside it as it happens", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn({ theme: "dark" });
    await go(project, `jobs/${job}?tab=test`);
    const payload = page.getByLabel("Payload", { exact: true });
    await payload.fill('{"order": 0}');
    await page.getByText("must be at least 1").waitFor();
    const trigger = page.getByRole("button", { name: "Trigger", exact: true });
    expect(await trigger.getAttribute("aria-disabled")).toBe("true");
    await payload.fill('{"order": 42}');
    await trigger.click();
    await page.waitForURL(/run=/);
    const run = page.getByRole("region", { name: "The run" });
    await run.getByText("Pending").waitFor();
    await page.waitForTimeout(400); // the stream has been opened
    await dashboard.world.runUntilIdle();
    await run.getByText("Completed").first().waitFor();
    await run.getByText("Attempt 1").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it("triggers many, says which were refused and why, and keeps those to be mended", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=bulk`);
    const items = page.getByLabel(/^Items/);
    await items.fill('order,note\n1,first\n0,zero\n3,"third, and last"');
    await page.getByRole("button", { name: "Trigger 3 runs" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("2 runs accepted, 1 refused").waitFor();
    await result.getByRole("button", { name: "Keep only the refused" }).click();
    expect(await items.inputValue()).toBe('{"payload":{"order":0,"note":"zero"}}');
  });

  it("shows what a change of the settings is before it is saved, and saves nothing else", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=settings`);
    await page.getByLabel("Attempts", { exact: true }).fill("7");
    await page.getByRole("button", { name: "Review changes" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText('"max_attempts": 7').waitFor();
    expect(await dialog.innerText()).toContain("-d '{\"max_attempts\":7}'");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save job" }).click();
    await dialog.waitFor({ state: "detached" });
    const { body } = await project.api.get(`/v1/jobs/${job}`);
    expect(body).toMatchObject({ max_attempts: 7, version: 2, cron: "0 6 * * 1-5" });
    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByText("changed line").waitFor();
    expect(faults).toEqual([]);
  });
});
