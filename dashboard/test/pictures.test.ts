import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../server/test/world/world.ts";
import { type Dashboard, openDashboard } from "./open-dashboard.ts";
import { type PageIds, seedEverything } from "./soak/seed-everything.ts";
import { settled } from "./soak/settled-page.ts";

/** Images of the README and the docs: `npm run pictures`. */
const folder = process.env.PICTURES;
const only = process.env.PICTURE_NAMES?.split(",");
const SIZE = { width: 1440, height: 900 };

const PICTURES: { name: string; path: (ids: PageIds) => string }[] = [
  { name: "home", path: () => "home" },
  { name: "runs", path: () => "runs" },
  { name: "run", path: ({ runId }) => `runs/${runId}` },
  { name: "workflow-run", path: ({ workflowRunId }) => `workflow-runs/${workflowRunId}?step=paid` },
  { name: "costs", path: () => "costs" },
];

describe.runIf(folder)("pictures", () => {
  let dashboard: Dashboard;
  let project: TestProject;
  let ids: PageIds;
  beforeAll(async () => {
    mkdirSync(folder ?? "", { recursive: true });
    dashboard = await openDashboard();
    project = await dashboard.world.project({ name: "Acme shop", slug: "acme-shop" });
    ids = await seedEverything(dashboard.world, project);
  }, 300_000);

  const requested = PICTURES.filter(({ name }) => only === undefined || only.includes(name));
  it.each(requested)("$name", { timeout: 120_000 }, async ({ name, path }) => {
    for (const theme of ["light", "dark"] as const) {
      const { page, context, go, pageErrors } = await dashboard.signedIn({ theme, size: SIZE });
      await go(project, path(ids));
      await settled(page);
      await page.waitForTimeout(1_500); // until graphs settle and charts are drawn
      await page.screenshot({ path: join(folder ?? "", `${name}-${theme}.png`), animations: "disabled" });
      expect(pageErrors).toEqual([]);
      await context.close();
    }
  });
});
