import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import type { TestProject } from "../../server/test/world/world.ts";
import { type Dashboard, openDashboard } from "./open-dashboard.ts";
import { type DemoWorkflows, seedDemoWorkflows } from "./seed-demo-workflows.ts";

/**
 * Screenshots of workflow pages with data: SCREENSHOTS=/tmp/shots npx vitest run
 * dashboard/test/workflow-screenshots.test.ts
 */
const folder = process.env.SCREENSHOTS;
const only = process.env.SCREENSHOT_PAGES?.split(",");
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

const SHOTS: { name: string; path: (demo: DemoWorkflows) => string }[] = [
  { name: "run-graph", path: ({ waiting }) => `workflow-runs/${waiting}?step=paid` },
  { name: "run-approval", path: ({ waiting }) => `workflow-runs/${waiting}?step=release&explain=on` },
  { name: "run-timeline", path: ({ waiting }) => `workflow-runs/${waiting}?view=timeline` },
  { name: "run-list", path: ({ failed }) => `workflow-runs/${failed}?view=list&step=charge-card` },
  { name: "run-done", path: ({ completed }) => `workflow-runs/${completed}` },
  { name: "workflow-runs", path: () => "workflow-runs" },
  { name: "workflows", path: () => "workflows" },
  { name: "workflow-graph", path: ({ slug }) => `workflows/${slug}?step=paid` },
  { name: "workflow-versions", path: ({ slug }) => `workflows/${slug}?tab=versions` },
  { name: "workflow-canary", path: ({ slug }) => `workflows/${slug}?tab=canary` },
  { name: "workflow-plan", path: ({ slug }) => `workflows/${slug}?tab=plan` },
  { name: "workflow-settings", path: ({ slug }) => `workflows/${slug}?tab=settings` },
];

describe.runIf(folder)("screenshots of workflows", () => {
  let dashboard: Dashboard;
  let project: TestProject;
  let demo: DemoWorkflows;
  beforeAll(async () => {
    dashboard = await openDashboard();
    project = await dashboard.world.project({ name: "Acme shop" });
    demo = await seedDemoWorkflows(dashboard.world, project);
  }, 180_000);

  it.each(SHOTS.filter(({ name }) => only === undefined || only.includes(name)))(
    "$name",
    { timeout: 180_000 },
    async ({ name, path }) => {
      mkdirSync(folder ?? "", { recursive: true });
      const looks = [
        { theme: "light", size: WIDE },
        { theme: "dark", size: WIDE },
        { theme: "dark", size: PHONE },
      ] as const;
      for (const { theme, size } of looks) {
        const { page, context, go, pageErrors } = await dashboard.signedIn({ theme, size, reducedMotion: true });
        await go(project, path(demo));
        await page.locator("h1").waitFor();
        await page.waitForTimeout(3_000);
        await page.screenshot({ path: join(folder ?? "", `${name}-${theme}-${size.width}.png`) });
        if (pageErrors.length > 0) console.log(name, theme, size.width, pageErrors);
        await context.close();
      }
    },
  );
});
