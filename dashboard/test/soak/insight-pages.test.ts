import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { delayResponses } from "../delay-responses.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { seedDemoInsight } from "../seed-demo-insight.ts";

let dashboard: Dashboard;
let project: TestProject;
let deliveryId: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  ({ deliveryId } = await seedDemoInsight(dashboard.world, project));
}, 180_000);

const TIMEOUT = { timeout: 60_000 * SLOWNESS };

describe("home", () => {
  it("lists issues that need attention, each with one action", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "home");
    const list = page.getByRole("region", { name: "Needs attention" });
    await list.getByText(/of the budget used/).waitFor();
    await list
      .getByText(/webhooks? to .* failed/)
      .first()
      .waitFor();
    await list.getByRole("link", { name: "Retry" }).first().click();
    await page.waitForURL(/webhook-deliveries\?status=failed&host=/);
    expect(pageErrors).toEqual([]);
  });
});

describe("webhook deliveries", () => {
  it("compares attempts with their planned times and verifies the signature", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `webhook-deliveries/${deliveryId}`);
    await page.getByText(/Failed after 5 attempts/).waitFor();
    for (const planned of ["5.0 s", "25 s", "2m 5s", "10m 25s"]) await page.getByText(`(planned ${planned})`).waitFor();
    await page.getByLabel("Signing secret of the project").fill(project.webhook_secret);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Signature is valid").waitFor();
    await page.getByRole("button", { name: "Retry delivery" }).click();
    await page.getByText("No attempts yet.").waitFor();
    expect(await page.getByRole("button", { name: "Retry delivery" }).getAttribute("aria-disabled")).toBe("true");
    const { body } = await project.api.get(`/v1/webhook-deliveries/${deliveryId}`);
    expect([body.status, body.attempts]).toEqual(["pending", 0]);
    await go(project, "webhook-deliveries?status=failed&event_type=run.completed");
    await page.getByRole("grid", { name: "Webhook deliveries" }).getByRole("row").nth(1).click();
    await page.getByText(/Not retried: the receiver rejected it with HTTP 410/).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("do not shift when endpoint health loads", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const response = await delayResponses(page, /endpoint-health/);
    await go(project, "webhook-deliveries", "-"); // the seeded deliveries belong to no environment
    const rows = page.getByRole("grid", { name: "Webhook deliveries" });
    await rows.getByRole("row").nth(1).waitFor();
    const before = await rows.boundingBox();
    response();
    await page.getByRole("list", { name: "Receivers" }).waitFor();
    expect(await rows.boundingBox()).toEqual(before);
    expect(pageErrors).toEqual([]);
  });

  it("retries all matching deliveries as a batch operation", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "webhook-deliveries?status=failed");
    await page.getByRole("button", { name: "Retry all matching" }).click();
    await page.getByRole("button", { name: "Retry deliveries" }).click();
    await page.waitForURL(/batch-operations\//);
    await dashboard.world.runUntilIdle();
    const { body } = await project.api.get("/v1/batch-operations");
    expect(body.data[0]).toMatchObject({ status: "completed", failed: 0 });
  });

  it("shows read-only users why buttons are disabled", TIMEOUT, async () => {
    const viewer = await project.newKey({ scopes: ["webhooks:read", "projects:read", "environments:read"] });
    const { page, go } = await dashboard.signedIn({ key: viewer.key });
    await go(project, "webhook-deliveries");
    await page.getByRole("button", { name: "Retry all matching" }).hover();
    await page.getByRole("tooltip").getByText("You need the webhooks:write scope for this.").waitFor();
    await go(project, "costs");
    await page.getByText("You don't have access to “Costs & budget”").waitFor();
  });
});

describe("costs", () => {
  it("are those of the environment, next to the budget of the project", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "costs", "staging");
    await page.getByRole("region", { name: "Top costs" }).getByText("No costs this month").waitFor();
    const budget = page.getByRole("region", { name: "Budget" });
    await budget.getByText("all environments").waitFor();
    await budget.getByText("Above 80%").waitFor();
    await page.getByText("Cumulative cost and forecast of all environments").waitFor();
    await go(project, "costs", "-");
    await page.getByRole("region", { name: "Top costs" }).getByRole("table").waitFor();
    expect(await budget.getByText("all environments").count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it("shows an exceeded budget by icon and text, and edits it", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "costs");
    const card = page.getByRole("region", { name: "Budget" });
    await card.getByText("Above 80%").waitFor();
    await card.getByRole("button", { name: "Edit budget" }).click();
    // On the first day of a month little is spent.
    const { settled_microusd } = (await project.api.get("/v1/project-budget")).body;
    const less = Math.floor(settled_microusd / 2);
    await page.getByLabel("Amount (USD)").fill(String(less / 1_000_000));
    await page.getByRole("button", { name: "Save budget" }).click();
    await card.getByText("Budget exceeded").waitFor();
    expect((await project.api.get("/v1/project-budget")).body.monthly_budget_microusd).toBe(less);
    const mail = page.getByRole("region", { name: "Usage e-mail" });
    await mail.getByLabel("E-mail address").fill("ada@example.com");
    await mail.getByRole("switch").click();
    await page.reload();
    const isOn = () => mail.getByRole("switch").getAttribute("aria-checked");
    await expect.poll(isOn, { timeout: 20_000 }).toBe("true");
    expect(pageErrors).toEqual([]);
  });
});

describe("analytics, audit, access and health", () => {
  it("tables have the order of the API, and zooming a chart updates the URL", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "analytics?tab=triggers");
    const table = page.getByRole("region", { name: "By trigger", exact: true });
    await table.getByRole("row").nth(1).waitFor();
    const { body } = await project.api.get("/v1/analytics/runs/by-trigger?environment_id=production");
    await table.getByRole("row", { name: new RegExp(`^${body.data[0].trigger_type} `) }).waitFor();
    const bars = page.locator("[data-series]").first();
    const box = await bars.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 2, (box?.y ?? 0) + 2);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/since=[^&]*%7E/);
    expect(pageErrors).toEqual([]);
  });

  it("the audit log shows changes, and its hash chain is intact", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "audit-log?action=job.*");
    await page.getByRole("grid", { name: "Audit events" }).getByRole("row").nth(1).click();
    await page.getByRole("complementary", { name: "Audit event" }).getByText("Created object:").waitFor();
    await page.getByRole("button", { name: "Verify chain" }).click();
    await page.getByText("Audit log is intact").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("the audit log reverses its order", TIMEOUT, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "audit-log");
    const rows = page.getByRole("grid", { name: "Audit events" }).getByRole("row");
    await rows.nth(1).waitFor();
    const newest = await rows.nth(1).innerText();
    await page.getByRole("button", { name: "Newest first" }).click();
    await page.waitForURL(/order=asc/);
    const isRequested = () => requests.some((requested) => requested.includes("order=asc"));
    await expect.poll(isRequested, { timeout: 20_000 }).toBe(true);
    await expect.poll(() => rows.nth(1).innerText(), { timeout: 20_000 }).not.toBe(newest);
  });

  it("shows the inheritance path of a permission, and the access check matches the API", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "access?role=on call");
    await page.getByText("via team lead → operator").first().waitFor();
    await page.getByRole("tab", { name: "Check access" }).click();
    await page.getByLabel("Subject", { exact: true }).fill("role:viewer");
    await page.getByLabel("Action", { exact: true }).selectOption("jobs:trigger");
    await page.getByRole("button", { name: "Check access" }).click();
    await page.getByText("Denied").waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("runs:read");
    await page.getByRole("button", { name: "Check access" }).click();
    await page.getByText("Allowed").waitFor();
    expect(pageErrors).toEqual([]);
  });
});
