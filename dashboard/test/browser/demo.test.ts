import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoRoutes } from "../../../server/src/demo/demo-routes.ts";
import { seedDemo } from "../../../server/src/demo/seed-demo.ts";
import { until } from "../../../server/test/world/until.ts";
import { INTERNAL_SECRET, makeWorld, type World } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

const dataDir = mkdtempSync(join(tmpdir(), "millrace-demo-page-"));
let dashboard: Dashboard;
let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { data_dir: dataDir }, routes: demoRoutes((ms) => pause(ms / 10)) });
  dashboard = await openDashboard(world);
  world.service.startTasks();
  await seedDemo(world.ctx, world.url);
  await waiting();
}, 300_000);

afterAll(() => {
  world.ctx.state.draining = true; // stop at once, like on shutdown
  rmSync(dataDir, { recursive: true, force: true });
});

const TIMEOUT = { timeout: 180_000 * SLOWNESS };
const waiting = () =>
  until(
    "the large order to wait for approval",
    20_000,
    async () => (await world.anonymous.get("/demo")).body.waiting ?? undefined,
  );

describe("demo project", () => {
  it("is the landing page of new users and is marked as a demo", TIMEOUT, async () => {
    const { page, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await page.goto("/");
    await page.waitForURL(/\/p\/demo\/production\/home\?since=1h$/);
    const banner = page.getByRole("region", { name: "Demo project" });
    await banner.getByRole("link", { name: "Order A-1001" }).waitFor();
    await banner.getByRole("button", { name: "Approve" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("the sign-in page offers to approve the order, then opens its run", TIMEOUT, async () => {
    const { page, pageErrors } = await dashboard.anonymous();
    await page.goto("/");
    const demo = page.getByRole("region", { name: "Demo" });
    await demo.getByText("Order A-1001 is waiting for your approval").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await demo.getByRole("button", { name: "Approve" }).click();
    await demo.getByText("Approved.").waitFor();
    const field = page.getByLabel("API key or internal secret");
    await field.fill(INTERNAL_SECRET);
    await field.press("Enter");
    await page.waitForURL("**/p/demo/production/workflow-runs/*");
    await page.getByRole("main").getByText("Completed").first().waitFor();
    expect(pageErrors.filter((error) => !error.includes("401"))).toEqual([]);
  });

  it("is removed after a confirmation; other projects stay and it is not requested again", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go({ slug: "demo" }, "runs");
    const banner = page.getByRole("region", { name: "Demo project" });
    await banner.getByRole("button", { name: "Remove demo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove demo" }).click();
    await page.waitForURL("**/p/main/production/*");
    await banner.waitFor({ state: "detached" });
    expect((await world.anonymous.get("/demo")).status).toBe(404);
    const { page: later, pageErrors } = await dashboard.signedIn();
    await later.goto("/");
    await later.waitForURL("**/p/main/production/*");
    expect(pageErrors).toEqual([]);
  });
});
