import { beforeAll, describe, expect, it } from "vitest";
import { seedDispatched } from "../../../server/test/seed-dispatched.ts";
import type { TestProject } from "../../../server/test/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";
import { rollUp, seedDemoInsight } from "../seed-demo-insight.ts";

let dashboard: Dashboard;
let project: TestProject;
let deliveryId: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  ({ deliveryId } = await seedDemoInsight(dashboard.world, project));
}, 180_000);

const PATIENCE = { timeout: 60_000 };

describe("home", () => {
  it("counters follow what runs, and a click on what failed opens those runs", PATIENCE, async () => {
    const { world } = dashboard;
    const other = await world.project();
    const { body: job } = await other.api.post("/v1/jobs", { name: "Mail", endpoint_url: "https://example.com/" });
    const { page, go, faults } = await dashboard.signedIn();
    await go(other, "home");
    await page.getByRole("heading", { name: "Three steps to the first run" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    const at = new Date().toISOString();
    const ends = Array.from({ length: 25 }, (_, nth) => ({ ms: 40, to: nth < 20 ? "completed" : "failed" }));
    await seedDispatched(
      world.connection,
      other.id,
      ends.map((end) => ({ job, at, dispatches: [end] })),
    );
    await rollUp(world);
    await page.getByRole("link", { name: /^Runs ended 25/ }).waitFor();
    await page.getByRole("link", { name: /^Success rate 80%/ }).waitFor();
    await page.getByText(/mail failed 5 times/).waitFor();
    expect(await page.getByText("Three steps to the first run").count()).toBe(0);
    await page.locator("[data-series=Failed]").last().click();
    await page.waitForURL(/runs\?q=status%3Afailed&since=/);
    await expect.poll(() => page.getByRole("grid", { name: "Runs" }).getByRole("row").count()).toBe(6);
    expect(faults).toEqual([]);
  });

  it("says what needs somebody, each with one thing to do", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "home");
    const list = page.getByRole("region", { name: "Needs attention" });
    await list.getByText(/of the budget is spent/).waitFor();
    await list
      .getByText(/given up/)
      .first()
      .waitFor();
    await list.getByRole("link", { name: "Retry" }).first().click();
    await page.waitForURL(/webhook-deliveries\?status=failed&host=/);
    expect(faults).toEqual([]);
  });
});

describe("webhook deliveries", () => {
  it("shows each attempt beside its plan, and proves the signature", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, `webhook-deliveries/${deliveryId}`);
    await page.getByText(/Given up after 5 attempts/).waitFor();
    for (const planned of ["5.0 s", "25 s", "2m 5s", "10m 25s"])
      await page.getByText(`of ${planned} planned`).waitFor();
    await page.getByLabel("Recompute with the project's secret").fill(project.webhook_secret);
    await page.getByRole("button", { name: "Recompute" }).click();
    await page.getByText("The signature is right").waitFor();
    await page.getByRole("button", { name: "Retry delivery" }).click();
    await page.getByText("Not tried yet.").waitFor();
    expect(await page.getByRole("button", { name: "Retry delivery" }).getAttribute("aria-disabled")).toBe("true");
    const { body } = await project.api.get(`/v1/webhook-deliveries/${deliveryId}`);
    expect([body.status, body.attempts]).toEqual(["pending", 0]);
    await go(project, "webhook-deliveries?status=failed&event_type=run.completed");
    await page.getByRole("grid", { name: "Webhook deliveries" }).getByRole("row").nth(1).click();
    await page.getByText(/Not retried because the receiver answered 410/).waitFor();
    expect(faults).toEqual([]);
  });
});

describe("costs", () => {
  it("a budget that is passed says so by mark and word, and is changed here", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "costs");
    const card = page.getByRole("region", { name: "Budget" });
    await card.getByText("Above 80 %").waitFor();
    await card.getByRole("button", { name: "Change budget" }).click();
    await page.getByLabel("Amount in US dollars").fill("1.5");
    await page.getByRole("button", { name: "Save budget" }).click();
    await card.getByText("Budget passed").waitFor();
    expect((await project.api.get("/v1/project-budget")).body.monthly_budget_microusd).toBe(1_500_000);
    const mail = page.getByRole("region", { name: "Usage e-mail" });
    await mail.getByLabel("Address").fill("ada@example.com");
    await mail.getByRole("switch").click();
    await page.reload();
    await expect.poll(() => mail.getByRole("switch").getAttribute("aria-checked")).toBe("true");
    expect(faults).toEqual([]);
  });
});

describe("analytics, audit, access and health", () => {
  it(
    "a table leads with what the API leads with, and zooming a chart puts its time into the address",
    PATIENCE,
    async () => {
      const { page, go, faults } = await dashboard.signedIn();
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
      expect(faults).toEqual([]);
    },
  );

  it("the audit log shows before and after, and the chain is whole", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "audit-log?action=job.*");
    await page.getByRole("grid", { name: "Audit events" }).getByRole("row").nth(1).click();
    await page.getByRole("complementary", { name: "Audit event" }).getByText("New:").waitFor();
    await page.getByRole("button", { name: "Verify chain" }).click();
    await page.getByText("Every event is as it was recorded").waitFor();
    expect(faults).toEqual([]);
  });

  it("an inherited permission shows its whole path, and the simulator says what the API says", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "access?role=on call");
    await page.getByText("via team lead → operator").first().waitFor();
    await page.getByRole("tab", { name: "Can X do Y?" }).click();
    await page.getByLabel("Can", { exact: true }).fill("role:viewer");
    await page.getByLabel("do", { exact: true }).selectOption("jobs:trigger");
    await page.getByRole("button", { name: "Check access" }).click();
    await page.getByText("Refused").waitFor();
    await page.getByLabel("do", { exact: true }).selectOption("runs:read");
    await page.getByRole("button", { name: "Check access" }).click();
    await page.getByText("Allowed").waitFor();
    expect(faults).toEqual([]);
  });
});

const PAGES = ["home", "webhook-deliveries", "costs", "analytics", "audit-log", "access", "system-health"];

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  it("axe finds nothing serious, and nothing scrolls sideways on a phone", { timeout: 120_000 }, async () => {
    const size = theme === "dark" ? { width: 390, height: 844 } : { width: 1440, height: 900 };
    const { page, go, faults } = await dashboard.signedIn({ theme, size, reducedMotion: true });
    for (const path of PAGES) {
      await go(project, path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expect
        .poll(() => page.locator("[aria-busy=true], [aria-label=Loading]").count(), { timeout: 20_000 })
        .toBe(0);
      expect([path, await seriousFindings(page)]).toEqual([path, []]);
      expect([path, Number(await page.evaluate("document.documentElement.scrollWidth")) <= size.width]).toEqual([
        path,
        true,
      ]);
    }
    expect(faults).toEqual([]);
  });
});
