import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { type Dashboard, type OpenPage, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { seedDemoInsight } from "../seed-demo-insight.ts";
import { settled } from "./settled-page.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  await seedDemoInsight(dashboard.world, project);
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

/** Rows of a table as texts. */
async function cells({ page }: OpenPage, region: string): Promise<string[][]> {
  const rows = page.getByRole("region", { name: region, exact: true }).getByRole("row");
  await rows.nth(1).waitFor();
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
  );
  return texts.slice(1);
}

/** The API response to the request of the page. */
async function responseTo({ requests }: OpenPage, part: string) {
  const requested = requests.findLast((each) => each.includes(part)) ?? "";
  return (await project.api.get(requested.replace("GET ", ""))).body;
}

const numberOf = (text = "") => Number(text.replaceAll(",", "").replace("–", "0"));

describe("analytics", () => {
  it("tables and charts match the API", TIMEOUT, async () => {
    const opened = await dashboard.signedIn();
    const { page, go, pageErrors } = opened;
    await go(project, "analytics?tab=triggers");
    const created = (await cells(opened, "By trigger")).map(([, count]) => numberOf(count));
    expect(created.reduce((sum, count) => sum + count, 0)).toBe((await responseTo(opened, "by-trigger")).total);
    await go(project, "analytics?tab=durations");
    const steps = (await cells(opened, "Runs by duration")).map(([, , count]) => numberOf(count));
    expect(steps.reduce((sum, count) => sum + count, 0)).toBe((await responseTo(opened, "distribution")).count);
    await go(project, "analytics");
    await settled(page);
    await page
      .getByRole("figure")
      .filter({ hasText: "Finished runs" })
      .getByRole("button", { name: "View as table" })
      .click();
    const series = opened.requests.find((each) => each.includes("timeseries") && !each.includes("to=")) ?? "";
    const { total } = (await project.api.get(series.replace("GET ", ""))).body as RunTimeseries;
    const rows = page.getByRole("figure").filter({ hasText: "Finished runs" }).getByRole("row");
    const texts = await rows.evaluateAll((all) =>
      all.slice(1).map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
    );
    const sums = [1, 2, 3, 4].map((nth) => texts.reduce((sum, row) => sum + numberOf(row[nth]), 0));
    expect(sums).toEqual([total.completed, total.canceled, total.timed_out, total.failed]);
    expect(pageErrors).toEqual([]);
  });

  it("zooming one chart zooms all charts on every tab", TIMEOUT, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "analytics");
    await settled(page); // bars move until all of them are loaded
    const bar = page.locator("[data-series]").first();
    const box = await bar.boundingBox();
    const [x, y] = [(box?.x ?? 0) + 2, (box?.y ?? 0) + (box?.height ?? 0) - 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 260, y, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/since=[^&]*%7E/);
    const from = encodeURIComponent(new URL(page.url()).searchParams.get("since")?.split("~")[0] ?? "");
    for (const path of ["timeseries", "performance"])
      await expect
        .poll(() => requests.some((requested) => requested.includes(path) && requested.includes(`from=${from}`)), {
          timeout: 20_000,
        })
        .toBe(true);
    await page.getByRole("tab", { name: "Durations" }).click();
    await expect
      .poll(
        () => requests.some((requested) => requested.includes("distribution") && requested.includes(`from=${from}`)),
        {
          timeout: 20_000,
        },
      )
      .toBe(true);
  });

  it("shows axes and an explanation when there is no data", TIMEOUT, async () => {
    const empty = await dashboard.world.project({ name: "New shop" });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(empty, "analytics");
    await settled(page);
    await page.getByText("No run finished in this period").waitFor();
    const bars = page.getByRole("figure").filter({ hasText: "Finished runs" });
    expect(await bars.locator("ol li").allInnerTexts()).toEqual(["2", "1", "0"]);
    await expect.poll(() => page.locator(".uplot canvas").count(), { timeout: 20_000 }).toBe(3);
    for (const tab of ["triggers", "workflows", "events", "durations"]) {
      await go(empty, `analytics?tab=${tab}`);
      await settled(page);
      expect([tab, (await page.getByRole("figure").count()) > 0]).toEqual([tab, true]);
    }
    expect(pageErrors).toEqual([]);
  });
});
