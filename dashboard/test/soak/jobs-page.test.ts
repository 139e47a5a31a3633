import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { streamOf } from "../stream-of.ts";
import { writeCode } from "../write-code.ts";

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

const TIMEOUT = { timeout: 120_000 * SLOWNESS };

describe("jobs", () => {
  it("lists schedules in words, pauses a job in place and opens it", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
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
    const { body } = await project.api.get(`/v1/jobs/${job}/schedule`);
    const times = page.getByRole("list", { name: "Next runs" }).getByRole("listitem");
    await expect.poll(() => times.count(), { timeout: 20_000 }).toBe(body.next_fire_times.length);
    expect(pageErrors).toEqual([]);
  });

  it("triggers a valid payload and shows the live run", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, `jobs/${job}?tab=test`);
    const payload = page.getByLabel("Payload", { exact: true });
    await writeCode(payload, '{"order": 0}');
    await page.getByText("must be at least 1").waitFor();
    const trigger = page.getByRole("button", { name: "Trigger", exact: true });
    expect(await trigger.getAttribute("aria-disabled")).toBe("true");
    await writeCode(payload, '{"order": 42}');
    const subscribed = streamOf(page, "run:");
    await trigger.click();
    await page.waitForURL(/run=/);
    const run = page.getByRole("region", { name: "Test run" });
    await run.getByText("Pending").waitFor();
    await subscribed;
    await dashboard.world.runUntilIdle();
    await run.getByText("Completed").first().waitFor();
    await run.getByText("Attempt 1").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("does not carry a draft payload over to another job", TIMEOUT, async () => {
    const { body } = await project.api.post("/v1/jobs", { name: "Other", endpoint_url: "https://example.com/other" });
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${body.id}?tab=test`);
    const payload = page.getByLabel("Payload", { exact: true });
    const first = await payload.innerText();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search, run a command, or paste an id").fill("Send receipt");
    await page.getByRole("option", { name: "Send receipt", selected: true }).click();
    await page.waitForURL(`**/jobs/${job}`);
    await page.getByRole("tab", { name: "Test" }).click();
    await writeCode(payload, '{"order": 7}');
    await page.evaluate(() => history.go(-2));
    await page.getByRole("heading", { name: "Other" }).waitFor();
    expect(await payload.innerText()).toBe(first);
  });

  it("triggers many, lists rejected items with reasons and keeps them for fixing", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=bulk`);
    const items = page.getByLabel(/^Items/);
    await writeCode(items, 'order,note\n1,first\n0,zero\n3,"third, and last"');
    await page.getByRole("button", { name: "Trigger 3 runs" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("2 runs accepted, 1 rejected").waitFor();
    await result.getByRole("button", { name: "Keep only rejected items" }).click();
    expect(await items.innerText()).toBe('{"payload":{"order":0,"note":"zero"}}');
  });

  it("sends a hundred, lists the two rejected ones and sends only those again", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=bulk`);
    const items = page.getByLabel(/^Items/);
    await writeCode(
      items,
      Array.from({ length: 100 }, (_, nth) => `{"order": ${nth % 50 === 0 ? -1 : nth}}`).join("\n"),
    );
    await page.getByRole("button", { name: "Trigger 100 runs" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("98 runs accepted, 2 rejected").waitFor({ timeout: 60_000 });
    expect(await result.getByRole("listitem").filter({ hasText: "Rejected" }).count()).toBe(2);
    await result.getByText("payload.order must be").first().waitFor();
    await result.getByRole("button", { name: "Keep only rejected items" }).click();
    await page.getByText("2 items (max. 100)").waitFor();
    await writeCode(items, (await items.innerText()).replaceAll("-1", "7"));
    await page.getByRole("button", { name: "Trigger 2 runs" }).click();
    await result.getByText("2 runs accepted, 0 rejected").waitFor();
    await dashboard.world.runUntilIdle();
  });

  it("reviews changed settings before saving and saves only those", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=settings`);
    await page.getByLabel("Max. attempts", { exact: true }).fill("7");
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
    expect(pageErrors).toEqual([]);
  });

  it("validates settings while typing, in the form and as JSON, kept in sync", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `jobs/${job}?tab=settings`);
    const json = page.getByLabel("JSON");
    const review = page.getByRole("button", { name: "Review changes" });
    await page.getByLabel("Attempt timeout (seconds)").fill("0");
    expect(await json.innerText()).toContain('"timeout_secs": 0');
    await page.getByText("timeout_secs must be at least 1").waitFor();
    expect(await review.getAttribute("aria-disabled")).toBe("true");
    await json.getByText('"timeout_secs": 0').click();
    for (const key of ["End", "Backspace", "Backspace"]) await page.keyboard.press(key);
    await page.keyboard.insertText("45,");
    expect(await page.getByLabel("Attempt timeout (seconds)").inputValue()).toBe("45");
    expect(await review.getAttribute("aria-disabled")).toBe(null);
  });

  it("completes schema fields and shows API errors at their field", TIMEOUT, async () => {
    const { url } = await jobEndpoint();
    const properties = { amount: { type: "integer", multipleOf: 5 }, kind: { enum: ["gift", "order"] } };
    const payload_schema = { type: "object", required: ["amount"], properties };
    const { body } = await project.api.post("/v1/jobs", { name: "Charge", endpoint_url: url, payload_schema });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `jobs/${body.id}?tab=test`);
    const payload = page.getByLabel("Payload", { exact: true });
    await writeCode(payload, "{"); // its end is added
    await payload.pressSequentially('"am');
    await page.getByRole("option", { name: "amount" }).waitFor();
    await payload.press("Enter");
    expect(await payload.innerText()).toBe('{"amount": 0}');
    await payload.pressSequentially(', "kind": "o');
    await page.getByRole("option", { name: '"order"' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await payload.press("Tab");
    expect(await payload.innerText()).toBe('{"amount": 0, "kind": "order"}');
    await writeCode(payload, '{"amount": 7}');
    await page.getByRole("button", { name: "Trigger", exact: true }).click();
    await page
      .locator("form")
      .getByText(/^payload\.amount .*multiple/)
      .waitFor();
    expect(await payload.getAttribute("aria-invalid")).toBe("true");
    expect(pageErrors.filter((error) => !error.includes("/trigger"))).toEqual([]); // the console logs the 4xx itself
  });
});

describe("job limits", () => {
  it("counts down for the eleventh run of a limit of ten per minute and fills the gauge", TIMEOUT, async () => {
    const { url } = await jobEndpoint();
    const limits = { rate_limit_max: 10, rate_limit_window_secs: 60 };
    const { body } = await project.api.post("/v1/jobs", { name: "Text message", endpoint_url: url, ...limits });
    const items = Array.from({ length: 10 }, () => ({}));
    await project.api.post(`/v1/jobs/${body.id}/trigger/bulk`, { items });
    await dashboard.world.runUntilIdle();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `jobs/${body.id}?tab=test`);
    await page.getByRole("button", { name: "Trigger", exact: true }).click();
    const why = page.getByRole("region", { name: "Why it is not running" });
    await why.getByText("allows 10 starts per 60 s").waitFor();
    expect(await why.getByRole("timer").innerText()).toMatch(/^\d+(\.\d)? s$/);
    await page.getByRole("tab", { name: "Limits" }).click();
    const gauge = page.getByRole("progressbar", { name: "Starts" });
    await expect.poll(() => gauge.getAttribute("aria-valuenow"), { timeout: 20_000 }).toBe("10");
    await page.getByText("At limit", { exact: true }).waitFor();
    await page
      .getByText(/next start in/)
      .getByRole("timer")
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("shows the busiest concurrency keys, and running runs in the list", TIMEOUT, async () => {
    const { url } = await jobEndpoint();
    const limits = { max_concurrency: 8, max_concurrency_per_key: 2 };
    const { body } = await project.api.post("/v1/jobs", { name: "Sync", endpoint_url: url, ...limits });
    for (const concurrency_key of ["tenant_1", "tenant_2", "tenant_1"])
      await runningRun(dashboard.world, project, { job_id: body.id, concurrency_key, accepted: true });
    const { page, go } = await dashboard.signedIn();
    await go(project, "jobs");
    const row = page.getByRole("grid", { name: "Jobs" }).getByRole("row").filter({ hasText: "Sync" });
    await row.getByText("3/8").waitFor();
    await row.getByRole("link", { name: /Sync/ }).click();
    await page.getByRole("tab", { name: "Limits" }).click();
    const keys = page.getByRole("progressbar");
    await page.getByRole("progressbar", { name: "tenant_1" }).waitFor();
    expect(await keys.evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-valuenow")))).toEqual([
      "3",
      "2",
      "1",
    ]);
  });
});

describe("job schedule", () => {
  it("lists the next runs in words, in its time zone, with daylight-saving changes", TIMEOUT, async () => {
    const { url } = await jobEndpoint();
    const schedule = { cron: "30 2 1 * *", timezone: "Europe/Berlin" };
    const { body } = await project.api.post("/v1/jobs", { name: "Invoices", endpoint_url: url, ...schedule });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "jobs");
    const words = page.getByText("At 02:30, on day 1 of the month");
    await words.hover();
    await expect.poll(() => page.getByRole("tooltip").getByRole("listitem").count(), { timeout: 20_000 }).toBe(5);
    await go(project, `jobs/${body.id}?tab=schedule`);
    await words.waitFor();
    const { next_fire_times } = (await project.api.get(`/v1/jobs/${body.id}/schedule`)).body;
    const times = page.getByRole("list", { name: "Next runs" }).getByRole("listitem");
    await expect.poll(() => times.count(), { timeout: 20_000 }).toBe(next_fire_times.length);
    const shown = await times.allInnerTexts();
    for (const [nth, at] of next_fire_times.entries()) {
      const hour = new Intl.DateTimeFormat("en-GB", { hour: "numeric", timeZone: "UTC" }).format(new Date(at));
      expect(shown[nth]).toContain("02:30:00");
      expect(shown[nth]).toContain(hour === "01" ? "GMT+1" : "GMT+2");
    }
    expect(shown.filter((text) => text.includes("DST change")).length).toBeGreaterThanOrEqual(1);
    expect(pageErrors).toEqual([]);
  });

  it("lists additional schedules, and their number in the list of jobs", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const twice = ["0 7 * * 6", "0 8 * * 0"];
    for (const cron of twice) await project.api.post("/v1/schedules", { job_id: job, cron, overlap_policy: "skip" });
    const { body: bare } = await project.api.post("/v1/jobs", { name: "Tidy up", endpoint_url: "https://example.com" });
    await go(project, `jobs/${bare.id}?tab=schedule`);
    await page.getByText("No schedules", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Create schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Cron").fill("15 4 * * *");
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    await page.getByRole("list", { name: "Schedules" }).getByText("At 04:15").waitFor();
    await go(project, "jobs");
    const grid = page.getByRole("grid", { name: "Jobs" });
    await grid.getByRole("row", { name: "Tidy up" }).getByText("At 04:15").waitFor();
    await grid.getByRole("row", { name: "Send receipt" }).getByText("+2").waitFor();
    await go(project, `jobs/${job}?tab=schedule`);
    const rows = page.getByRole("list", { name: "Schedules" }).getByRole("listitem");
    await rows.filter({ hasText: "default cron" }).waitFor();
    await expect.poll(() => rows.filter({ hasText: "overlap: skip" }).count(), { timeout: 20_000 }).toBe(2);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
