import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { encryptHeaders } from "../../../server/test/seed/running-run.ts";
import { type SeedRun, seedRuns } from "../../../server/test/seed/seed-run.ts";
import { endWhenWaitedFor } from "../../../server/test/world/end-when-waited-for.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 240_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };
const SLOW = { timeout: 40_000 };

/** A project with this many runs, each tagged with its number. */
async function seeded(count: number, run: (nth: number) => SeedRun): Promise<TestProject> {
  const project = await dashboard.world.project({ name: "Acme shop" });
  const all = Array.from({ length: count }, (_, nth) => ({ tags: { nth: String(nth) }, ...run(nth) }));
  await seedRuns(dashboard.world.connection, project.id, all);
  await encryptHeaders(dashboard.world, project.id);
  return project;
}

async function jobOf(project: TestProject): Promise<string> {
  const { body } = await project.api.post("/v1/jobs", { name: "New", endpoint_url: (await jobEndpoint()).url });
  return body.id;
}

const rowsOf = (page: Page, name: string) => page.getByRole("grid", { name }).getByRole("row");

/** Scrolls to the end and returns the positions at which each row was seen. `between` runs before each step. */
async function walk(rows: Locator, nameOf: RegExp, count: number, between: () => Promise<unknown>) {
  const places = new Map<string, Set<string>>();
  for (let round = 0; round < 400 && places.size < count; round++) {
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [row.getAttribute("data-place") ?? "", row.innerHTML]),
    );
    for (const [place = "", html = ""] of shown) {
      const found = nameOf.exec(html)?.[0];
      if (found) places.set(found, (places.get(found) ?? new Set()).add(place));
    }
    await between();
    await rows.last().scrollIntoViewIfNeeded();
    await rows.page().waitForTimeout(150);
  }
  return places;
}

describe("runs list", () => {
  it("shows every run exactly once while new runs arrive between pages", TIMEOUT, async () => {
    const project = await seeded(160, () => ({ status: "completed" }));
    const job = await jobOf(project);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs");
    const rows = rowsOf(page, "Runs");
    await rows.nth(3).waitFor();
    const places = await walk(rows, /nth:\d+/, 160, () => project.api.post(`/v1/jobs/${job}/trigger`, {}));
    expect(places.size).toBe(160);
    const twice = [...places].filter(([, at]) => at.size > 1);
    expect(twice).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("keeps selected rows in place while other runs change and arrive", TIMEOUT, async () => {
    const project = await seeded(20, (nth) => ({ status: nth % 2 ? "completed" : "pending" }));
    const job = await jobOf(project);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs");
    const rows = rowsOf(page, "Runs");
    await rows.nth(8).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    for (const nth of [2, 3, 5]) await rows.nth(nth).getByRole("checkbox").click();
    const look = () =>
      rows.evaluateAll((all) =>
        all.map((row) => [row.getAttribute("aria-selected"), /nth:\d+/.exec(row.textContent ?? "")?.[0]]),
      );
    const before = await look();
    expect(before.filter(([isSelected]) => isSelected === "true")).toHaveLength(3);
    for (let nth = 0; nth < 4; nth++) await project.api.post(`/v1/jobs/${job}/trigger`, {});
    const { body } = await project.api.get("/v1/runs?status=pending&order=asc&limit=1");
    await project.api.post(`/v1/runs/${body.data[0].id}/cancel`, {});
    await page.waitForTimeout(2_000);
    expect(await look()).toEqual(before);
    await page.getByRole("button", { name: "Clear selection" }).click();
    await page.getByRole("button", { name: "4 new" }).waitFor();
    await rows.getByText("Canceled").first().waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("cancels 150 matching runs and reports why finished ones were skipped", TIMEOUT, async () => {
    const isLate = (nth: number) => nth % 30 === 7 || nth % 30 === 21; // two of each page that the service processes
    const project = await dashboard.world.project({ name: "Acme shop" });
    const ids = await seedRuns(
      dashboard.world.connection,
      project.id,
      Array.from(
        { length: 150 },
        (_, nth): SeedRun => ({ status: isLate(nth) ? "running" : "pending", tags: { wave: "1" } }),
      ),
    );
    await encryptHeaders(dashboard.world, project.id);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs?q=tag:wave");
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
    await page.getByRole("button", { name: "Select all matching" }).click();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Cancel 150 runs" }).click();
    await page.waitForURL(/batch-operations\//);
    await page.getByText("0/150").waitFor();
    const late = ids.toSorted().filter((_, nth) => isLate(nth));
    const ended = await endWhenWaitedFor(dashboard.world.connection, late);
    while (await dashboard.world.tick("work-on-batches"));
    expect((await ended()).toSorted()).toEqual(late);
    await page.getByText("150/150 · 100%").waitFor(SLOW);
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const { body: batch } = await project.api.get(`/v1/batch-operations/${id}`);
    expect(batch).toMatchObject({ processed: 150, succeeded: 140, skipped: 10, failed: 0 });
    const rows = rowsOf(page, "Items");
    await expect.poll(() => rows.count(), SLOW).toBe(11); // the header row and the skipped items, as none failed
    const reasons = rows.filter({ hasText: "run_already_ended" }).filter({ hasText: "its status is completed" });
    expect(await reasons.count()).toBe(10);
    await page.getByRole("button", { name: "Succeeded", exact: true }).click();
    await rows.filter({ hasText: "Succeeded" }).first().waitFor();
    const { body: left } = await project.api.get("/v1/runs?status=pending");
    expect(left.data).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("a replay of more than a hundred runs opens the list of its batches", TIMEOUT, async () => {
    const project = await dashboard.world.project({ name: "Acme shop" });
    const job_id = await jobOf(project);
    const { body: job } = await project.api.get(`/v1/jobs/${job_id}`);
    const one: SeedRun = { job_id, job_version_id: job.version_id, status: "failed", tags: { wave: "1" } };
    await seedRuns(
      dashboard.world.connection,
      project.id,
      Array.from({ length: 130 }, () => one),
    );
    await encryptHeaders(dashboard.world, project.id);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs?q=tag:wave status:failed");
    await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
    await page.getByRole("button", { name: "Select all matching" }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByRole("button", { name: "Replay 130 runs" }).click();
    await page.waitForURL(/batch-operations$/, { timeout: 60_000 });
    const rows = rowsOf(page, "Batch operations");
    await expect.poll(() => rows.count(), SLOW).toBe(3);
    await rows.filter({ hasText: "100/100" }).waitFor();
    await rows.filter({ hasText: "30/30" }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("audit log", () => {
  it("shows every event once while new events are recorded between pages", TIMEOUT, async () => {
    const project = await dashboard.world.project({ name: "Acme shop" });
    const make = (nth: number) => project.api.post("/v1/environments", { name: `Room ${nth}`, slug: `room-${nth}` });
    for (let nth = 0; nth < 70; nth++) await make(nth);
    const { body } = await project.api.get("/v1/audit-events?action=environment.created&limit=100");
    const before = body.data.length;
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "audit-log?action=environment.created");
    const rows = rowsOf(page, "Audit events");
    await rows.nth(3).waitFor();
    let more = 1_000;
    const places = await walk(rows, /title="[0-9a-f-]{36}"/, before, () => make(more++));
    expect([...places].filter(([, at]) => at.size > 1)).toEqual([]);
    expect(places.size).toBeGreaterThanOrEqual(before);
    expect(pageErrors).toEqual([]);
  });
});
