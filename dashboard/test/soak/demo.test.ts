import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoRoutes } from "../../../server/src/demo/demo-routes.ts";
import { seedDemo } from "../../../server/src/demo/seed-demo.ts";
import { makeWorld, type World } from "../../../server/test/world/world.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";

const dataDir = mkdtempSync(join(tmpdir(), "millrace-demo-page-"));
let dashboard: Dashboard;
let world: World;
beforeAll(async () => {
  world = await makeWorld({ config: { data_dir: dataDir }, routes: demoRoutes() });
  dashboard = await openDashboard(world);
  world.service.startTasks();
  await seedDemo(world.ctx, world.url);
}, 180_000);

afterAll(() => {
  world.ctx.state.draining = true; // stop at once, like on shutdown
  rmSync(dataDir, { recursive: true, force: true });
});

describe("demo banner", () => {
  it("follows the order: it waits for approval, continues, and another one can be started", {
    timeout: 180_000,
  }, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go({ slug: "demo" }, "workflow-runs");
    const banner = page.getByRole("region", { name: "Demo project" });
    for (let order = 1; order <= 2; order++) {
      await banner.getByText("Order A-1001").waitFor({ timeout: 60_000 });
      await banner.getByRole("button", { name: "Approve" }).click();
      await page.waitForURL("**/workflow-runs/*");
      await banner.getByText("Nothing in it is real").waitFor();
      if (order === 1) await banner.getByRole("button", { name: "Start large order" }).click();
    }
    expect(pageErrors).toEqual([]);
  });
});
