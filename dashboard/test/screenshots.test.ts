import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import type { TestProject } from "../../server/test/world/world.ts";
import { allPagePaths } from "./all-page-paths.ts";
import { type Dashboard, openDashboard } from "./open-dashboard.ts";
import { seedDemoAlerts } from "./seed-demo-alerts.ts";
import { seedDemoInsight } from "./seed-demo-insight.ts";
import { type DemoObjects, seedDemoObjects } from "./seed-demo-objects.ts";
import { seedDemoRuns } from "./seed-demo-runs.ts";

/**
 * Every page in both themes at three widths:
 *   SCREENSHOTS=/tmp/shots npx vitest run dashboard/test/screenshots.test.ts
 * SCREENSHOT_PAGES=runs,gallery takes only those; SCREENSHOT_SEARCH='?tab=logs' is appended to each URL.
 */
const folder = process.env.SCREENSHOTS;
const search = process.env.SCREENSHOT_SEARCH ?? "";
const only = process.env.SCREENSHOT_PAGES?.split(",");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

describe.runIf(folder)("screenshots", () => {
  let dashboard: Dashboard;
  let project: TestProject;
  let ids: DemoObjects;
  beforeAll(async () => {
    dashboard = await openDashboard();
    project = await dashboard.world.project({ name: "Acme shop" });
    await seedDemoRuns(dashboard.world, project);
    ids = await seedDemoObjects(dashboard.world, project);
    Object.assign(ids, await seedDemoInsight(dashboard.world, project));
    await seedDemoAlerts(dashboard.world, project);
    const issues = await project.api.get("/v1/error-issues?limit=1");
    Object.assign(ids, { issueId: issues.body.data[0]?.id });
  }, 120_000);

  const shots = allPagePaths().filter(({ name }) => only === undefined || only.includes(name));
  it.each(shots)("$name", { timeout: 180_000 }, async ({ name, path, isAnonymous }) => {
    mkdirSync(folder ?? "", { recursive: true });
    const address = path(project.slug, ids);
    if (address === undefined) return;
    for (const theme of ["light", "dark"] as const) {
      for (const size of SIZES) {
        const { page, context } = await (isAnonymous ? dashboard.anonymous : dashboard.signedIn)({
          theme,
          size,
          reducedMotion: true,
        });
        await page.goto(`${address}${search}`);
        await page.waitForLoadState("load");
        await page
          .getByRole("heading", { level: 1 })
          .first()
          .waitFor({ timeout: 10_000 })
          .catch(() => {});
        // The Content Security Policy forbids eval, so this uses locators.
        const busy = page.locator("[aria-busy=true], [aria-label=Loading]");
        for (let round = 0; round < 40 && (await busy.count()) > 0; round++) await page.waitForTimeout(250);
        await page.waitForTimeout(900);
        await page.screenshot({
          path: join(folder ?? "", `${name}-${theme}-${size.width}.png`),
          fullPage: name === "gallery",
        });
        await context.close();
      }
    }
  });
});
