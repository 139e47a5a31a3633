import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { allPagePaths } from "../all-page-paths.ts";
import { type Dashboard, type OpenPage, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { cuttableProxy, type Line } from "./cuttable-proxy.ts";
import { type PageIds, seedEverything } from "./seed-everything.ts";
import { settled } from "./settled-page.ts";

/**
 * Every page while runs change, while the service is down, and under rate limits. PAGES=runs,home checks only those.
 */
const only = process.env.PAGES?.split(",");
const rows = allPagePaths().filter(({ name, isAnonymous }) =>
  only ? only.includes(name) : !isAnonymous && name !== "gallery",
);

let dashboard: Dashboard;
let behindLine: Dashboard;
let line: Line;
let project: TestProject;
let ids: PageIds;
let job: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  const { world } = dashboard;
  line = await cuttableProxy(world.url);
  behindLine = await openDashboard({ ...world, url: line.url });
  project = await world.project({ name: "Acme shop" });
  ids = await seedEverything(world, project);
  const { url } = await jobEndpoint();
  job = (await project.api.post("/v1/jobs", { name: "Moves", endpoint_url: url })).body.id;
}, 300_000);

const TIMEOUT = { timeout: 300_000 * SLOWNESS };
const trigger = async () => (await project.api.post(`/v1/jobs/${job}/trigger`, {})).body.id as string;
const streamsOf = ({ requests }: OpenPage) => requests.filter((requested) => requested.startsWith("GET /v1/stream"));
const runRows = ({ page }: OpenPage) => page.getByRole("grid", { name: "Runs" }).getByRole("row");

describe("each page for a minute while runs start and finish", () => {
  it("G4 G12 sends at most six requests, keeps one stream and does not shift", TIMEOUT, async () => {
    const opened: (OpenPage & { name: string })[] = [];
    for (const row of rows) opened.push({ name: row.name, ...(await openSettled(row)) });
    await pause(5_000);
    for (const { requests, page } of opened) {
      requests.length = 0;
      await page.evaluate(WATCH_SHIFTS);
    }
    for (let nth = 0; nth < 12; nth++) {
      await trigger();
      await dashboard.world.runUntilIdle();
      await pause(5_000);
    }
    const found: string[] = [];
    for (const each of opened) {
      const requested = each.requests.filter((path) => !path.startsWith("GET /v1/stream"));
      if (requested.length > 6)
        found.push(`${each.name}: ${requested.length} requests: ${[...new Set(requested)].join(", ")}`);
      if (streamsOf(each).length > 1) found.push(`${each.name}: ${streamsOf(each).length} streams`);
      const shifted = Number(await each.page.evaluate("globalThis.shifted"));
      if (shifted >= 0.02) found.push(`${each.name}: layout shifted by ${shifted.toFixed(3)}`);
      found.push(...each.pageErrors.map((error) => `${each.name}: ${error}`));
      await each.context.close();
    }
    expect(found).toEqual([]);
  });

  it("G12 the focused row keeps its focus", TIMEOUT, async () => {
    const opened = await dashboard.signedIn();
    await opened.go(project, "runs");
    await settled(opened.page); // placeholder rows count as rows until data loads
    await runRows(opened).nth(3).focus();
    const before = await opened.page.evaluate("document.activeElement.textContent");
    for (let nth = 0; nth < 5; nth++) await trigger();
    await dashboard.world.runUntilIdle();
    await opened.page.getByRole("button", { name: /\d+ new/ }).waitFor();
    expect(await opened.page.evaluate("document.activeElement.textContent")).toBe(before);
  });
});

describe("two tabs", () => {
  it("G5 share one stream, and the second takes it over within two seconds", TIMEOUT, async () => {
    const opened = await dashboard.signedIn();
    const { page, context, go } = opened;
    await go(project, "runs");
    await page.getByText("Live", { exact: true }).waitFor();
    const second = await context.newPage();
    await second.goto(page.url());
    await second.getByText("Live", { exact: true }).waitFor();
    expect(streamsOf(opened)).toHaveLength(1);
    const closedAt = performance.now();
    const takingOver = second.waitForRequest((request) => request.url().includes("/v1/stream"));
    await page.close();
    await expect.poll(() => streamsOf(opened).length, { timeout: 20_000, interval: 20 }).toBe(2);
    const took = performance.now() - closedAt;
    expect((await takingOver).headers()["last-event-id"]).toBeTruthy(); // the second tab resumes where the first stopped
    await trigger();
    await second.getByRole("button", { name: /\d+ new/ }).waitFor();
    expect(took).toBeLessThan(2_000 * SLOWNESS);
  });
});

describe("a service that is down for five seconds", () => {
  it("G6 shows a banner, then the missed changes, without a reload", TIMEOUT, async () => {
    const { page, go, pageErrors } = await behindLine.signedIn();
    const changed = await trigger();
    await trigger();
    await go(project, "runs");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.evaluate("globalThis.mark = 1");
    await line.cut();
    await page.getByText("Reconnecting").waitFor();
    await project.api.post(`/v1/runs/${changed}/cancel`, {});
    await trigger();
    await pause(5_000);
    await line.restore();
    await page.getByText("Reconnecting").waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    const pill = page.getByRole("button", { name: /\d+ new/ });
    const rows = page.getByRole("grid", { name: "Runs" }).getByRole("row");
    await expect
      .poll(() => rows.allInnerTexts(), { timeout: 20_000 })
      .toContainEqual(expect.stringMatching(/Canceled/));
    const third = async () => {
      if (await pill.isVisible()) await pill.click();
      return rows.nth(3).innerText();
    };
    await expect.poll(third, { timeout: 20_000 }).toContain("Canceled");
    await rows.nth(1).getByText("Pending").waitFor();
    await rows.nth(2).getByText("Pending").waitFor();
    expect(await page.evaluate("globalThis.mark")).toBe(1);
    expect(pageErrors.filter((error) => !error.includes("net::ERR_"))).toEqual([]);
  });
});

describe("a service that limits requests", () => {
  it("G10 retries reads automatically after Retry-After, but not changes", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    let refused = 0;
    await page.route("**/v1/runs?*", async (route) => {
      if (refused++ > 0) return route.continue();
      const body = JSON.stringify({ code: "rate_limited", title: "Too many requests", detail: "Wait.", status: 429 });
      await route.fulfill({ status: 429, headers: { "retry-after": "2" }, contentType: "application/json", body });
    });
    await go(project, "runs");
    await page.getByText(/Retrying in/).waitFor();
    await page.getByRole("grid", { name: "Runs" }).getByRole("row").nth(3).waitFor();
    let sent = 0;
    await page.route("**/v1/runs/bulk-cancel", async (route) => {
      sent += 1;
      await route.fulfill({
        status: 429,
        headers: { "retry-after": "1" },
        contentType: "application/json",
        body: "{}",
      });
    });
    await page.getByRole("checkbox", { name: "Select row" }).first().click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel 1 run" }).click();
    await expect.poll(() => sent, { timeout: 20_000 }).toBe(1);
    await pause(3_000);
    expect(sent).toBe(1);
  });
});

async function openSettled({ path }: (typeof rows)[number]): Promise<OpenPage> {
  const opened = await dashboard.signedIn({ reducedMotion: true });
  await opened.page.goto(path(project.slug, ids) ?? "");
  await settled(opened.page);
  return opened;
}

const WATCH_SHIFTS = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value;
  }).observe({ type: "layout-shift" });
`;
