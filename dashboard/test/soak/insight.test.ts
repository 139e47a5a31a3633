import { SCOPES } from "@millrace/contract/scopes";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";
import { seedDemoInsight } from "../seed-demo-insight.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  await seedDemoInsight(dashboard.world, project);
}, 180_000);

const PATIENCE = { timeout: 120_000 };

describe("access", () => {
  it("the simulator says what the API says, in twenty cases", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    const subjects = ["role:viewer", "role:on call", "member:joan@example.com", "role:triggerer"];
    const actions = SCOPES.filter((_, nth) => nth % 6 === 0).slice(0, 5);
    for (const subject of subjects)
      for (const action of actions) {
        const { body } = await project.api.post("/v1/access/check", { subject, action });
        await go(project, `access?tab=check&who=${encodeURIComponent(subject)}&can=${encodeURIComponent(action)}`);
        await page.getByRole("button", { name: "Check access" }).click();
        await page.getByText(body.reason, { exact: true }).waitFor();
        await page.getByText(body.allowed ? "Allowed" : "Refused", { exact: true }).waitFor();
      }
  });

  it("members are assigned by CSV, each with its own answer", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "access?tab=members");
    await page.getByRole("button", { name: "Assign members" }).click();
    await page
      .getByLabel("Subjects")
      .fill("new@example.com,operator,New One\nbad@example.com,no-such-role\njoan@example.com,viewer");
    await page.getByRole("button", { name: "Assign 3 members" }).click();
    const results = page.getByRole("list", { name: "Results" }).getByRole("listitem");
    await expect.poll(() => results.count()).toBe(3);
    expect(await results.allInnerTexts()).toEqual([
      expect.stringContaining("created"),
      expect.stringContaining("failed"),
      expect.stringMatching(/unchanged|updated/),
    ]);
  });
});

describe("webhook deliveries", () => {
  it("all that match are retried as a batch operation", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "webhook-deliveries?status=failed");
    await page.getByRole("button", { name: "Retry all matching" }).click();
    await page.getByRole("button", { name: "Retry deliveries" }).click();
    await page.waitForURL(/batch-operations\//);
    await dashboard.world.runUntilIdle();
    const { body } = await project.api.get("/v1/batch-operations");
    expect(body.data[0]).toMatchObject({ status: "completed", failed: 0 });
  });

  it("somebody who may only read sees why the buttons do nothing", PATIENCE, async () => {
    const viewer = await project.newKey({ scopes: ["webhooks:read", "projects:read", "environments:read"] });
    const { page, go } = await dashboard.signedIn({ key: viewer.key });
    await go(project, "webhook-deliveries");
    await page.getByRole("button", { name: "Retry all matching" }).hover();
    await page.getByRole("tooltip").getByText("You need the scope webhooks:write for this.").waitFor();
    await go(project, "costs");
    await page.getByText("You may not see costs & budget").waitFor();
  });
});

describe("audit log", () => {
  it("turns the order round", PATIENCE, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "audit-log");
    const rows = page.getByRole("grid", { name: "Audit events" }).getByRole("row");
    await rows.nth(1).waitFor();
    const newest = await rows.nth(1).innerText();
    await page.getByRole("button", { name: "Newest first" }).click();
    await page.waitForURL(/order=asc/);
    await expect.poll(() => requests.at(-1)).toContain("order=asc");
    await expect.poll(() => rows.nth(1).innerText()).not.toBe(newest);
  });
});

describe("home", () => {
  it("names the check that fails", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    dashboard.world.ctx.state.dutyDueAt.set("slow-duty", performance.now() - 61_000);
    await go(project, "home");
    await page.getByText("engine: stuck: slow-duty").waitFor();
    dashboard.world.ctx.state.dutyDueAt.clear();
  });

  it("asks at most six times a minute while nothing happens", { timeout: 180_000 }, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "home");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.waitForTimeout(8_000);
    const before = requests.length;
    await page.waitForTimeout(60_000);
    expect(requests.slice(before).length).toBeLessThanOrEqual(6);
  });
});
