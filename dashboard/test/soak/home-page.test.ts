import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, type OpenPage, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { rollUp } from "../seed-demo-insight.ts";
import { settled } from "./settled-page.ts";

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

let dashboard: Dashboard;
let project: TestProject;
let [good, bad] = ["", ""];
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  const [healthy, unhealthy] = [
    await jobEndpoint(),
    (await jobEndpoint()).respondWith({ status: 400, body: { error: "no" } }),
  ];
  const make = async (name: string, endpoint_url: string) =>
    (await project.api.post("/v1/jobs", { name, endpoint_url, max_attempts: 1 })).body.id as string;
  [good, bad] = [await make("Good", healthy.url), await make("Bad", unhealthy.url)];
}, 300_000);

const stat = ({ page }: OpenPage, name: string) => page.getByRole("main").getByRole("link", { name });
const items = (count: number) => Array.from({ length: count }, (_, nth) => ({ payload: { nth } }));

describe("home", () => {
  it("counts 20 completed and 5 failed runs within two seconds, without a reload", TIMEOUT, async () => {
    const opened = await dashboard.signedIn();
    await opened.go(project, "home");
    await opened.page.getByText("Live", { exact: true }).waitFor();
    await opened.page.evaluate("globalThis.mark = 1");
    await dashboard.world.clock.set(new Date().toISOString()); // all runs finish within one minute, and so in one bar
    await project.api.post(`/v1/jobs/${good}/trigger/bulk`, { items: items(20) });
    await project.api.post(`/v1/jobs/${bad}/trigger/bulk`, { items: items(5) });
    await dashboard.world.runUntilIdle();
    const endedAt = performance.now();
    await stat(opened, "Finished runs").getByText("25", { exact: true }).waitFor();
    await stat(opened, "Success rate").getByText("80%", { exact: true }).waitFor();
    await stat(opened, "Failed").getByText("5", { exact: true }).waitFor();
    expect(performance.now() - endedAt).toBeLessThan(2_000 * SLOWNESS);
    expect(await opened.page.evaluate("globalThis.mark")).toBe(1);
    expect(opened.pageErrors).toEqual([]);
  });

  it("opens exactly the runs of a bar", TIMEOUT, async () => {
    await rollUp(dashboard.world);
    const opened = await dashboard.signedIn();
    await opened.go(project, "home");
    await opened.page.locator('[data-series="Failed"]').last().click();
    await opened.page.waitForURL(/runs\?q=status%3Afailed&since=/);
    const rows = opened.page.getByRole("grid", { name: "Runs" }).getByRole("row");
    await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(6);
  });

  it("loads all cards with nine requests and shows activity per hour and per job", TIMEOUT, async () => {
    const opened = await dashboard.signedIn();
    const { page, requests } = opened;
    await opened.go(project, "home");
    await page.getByText("Bad failed 5 times").waitFor();
    await settled(page);
    // Every page requests the caller and the project. Three of these are counts in the sidebar. Readiness is the ninth.
    const own = requests.filter((requested) => !/^GET \/v1\/(me|projects|environments|stream)/.test(requested));
    expect([...new Set(own)].length, own.join(" ")).toBeLessThanOrEqual(8);
    const hours = page.locator('a[title*="25 runs finished, 5 failed"]');
    await expect.poll(() => hours.count(), { timeout: 20_000 }).toBe(1);
    await page.getByRole("heading", { name: "Slowest jobs" }).scrollIntoViewIfNeeded();
    await page.getByRole("img", { name: "good: 20 runs finished" }).waitFor();
    await page.getByRole("img", { name: "bad: 5 runs finished" }).waitFor();
    expect(requests.filter((requested) => requested.includes("job_id="))).toEqual([]); // none per job
    await page.getByRole("button", { name: "View as table" }).nth(1).click();
    await page.getByRole("cell", { name: "25", exact: true }).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("loads the first view with six requests and the rest afterwards", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    const requested: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/(v1|health)\//.test(pathname)) requested.push(pathname);
    });
    let first: string[] | undefined;
    const open = new Set(["/v1/analytics/timeseries", "/v1/analytics/performance"]);
    page.on("response", (response) => {
      open.delete(new URL(response.url()).pathname);
      if (open.size === 0) first ??= [...requested];
    });
    await go(project, "home");
    const concerns = page.getByRole("region", { name: "Needs attention" });
    await concerns.getByText("Bad failed 5 times").waitFor();
    await concerns.getByRole("img", { name: "a number" }).waitFor(); // in "The endpoint responded with …: no"
    expect(await concerns.innerText()).not.toMatch(/<\w+>/);
    await page.getByText(/^Project created .* ago$/).waitFor();
    await settled(page);
    const frame = ["/v1/me", "/v1/projects", "/v1/environments", "/v1/stream"];
    // Readiness comes from the instance, not from the API.
    const own = ["/v1/analytics/timeseries", "/v1/analytics/performance", "/health/ready"];
    expect(first?.filter((path) => ![...frame, ...own].includes(path))).toEqual([]);
    expect(first?.filter((path) => own.includes(path)).length).toBeLessThanOrEqual(3);
    expect(requested.filter((path) => path === "/v1/webhook-deliveries")).toHaveLength(1); // for the sidebar and for the list
    expect(requested.filter((path) => path === "/health/ready")).toHaveLength(1); // opening the stream must not cause another request
    expect([...new Set(requested)].length, requested.join(" ")).toBeLessThanOrEqual(13);
  });

  it("shows the first job in three languages with a new key, and follows it to the first run", TIMEOUT, async () => {
    const fresh = await dashboard.world.project({ name: "New shop" });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(fresh, "home");
    const start = page.getByRole("region", { name: "Get started" });
    await start.getByText("Waiting for the first job…").waitFor();
    await start.getByRole("button", { name: "Create API key and fill it in" }).click();
    await start.getByText(/apiKey: "svc_[A-Za-z0-9]{20,}"/).waitFor();
    for (const [language, text] of [
      ["Python", /urllib\.request/],
      ["curl", /\/worker\/v1\/claims/],
    ] as const) {
      await start.getByRole("button", { name: language }).click();
      await start.getByText(text).first().waitFor();
    }
    expect(await seriousFindings(page)).toEqual([]);
    const { url } = await jobEndpoint();
    const { body } = await fresh.api.post("/v1/jobs", { name: "First", endpoint_url: url });
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await start.getByText("Job First created.").waitFor();
    await fresh.api.post(`/v1/jobs/${body.id}/trigger`, {});
    await start.getByText("Your first run has arrived.").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("names the failing check while the database is down and recovers afterwards", TIMEOUT, async () => {
    const alone = await openDashboard();
    const place = await alone.world.project({ name: "Acme shop" });
    const opened = await alone.signedIn();
    await opened.go(place, "home");
    await stat(opened, "Service").getByText("Ready").waitFor();
    const reopen = await closeDatabase(alone, dashboard);
    await stat(opened, "Service").getByText("database: unavailable").waitFor({ timeout: 60_000 });
    await reopen();
    await stat(opened, "Service").getByText("Ready").waitFor({ timeout: 60_000 });
  });
});

/** Blocks connections to the database and drops open ones. Returns a function that allows them again. */
async function closeDatabase({ world }: Dashboard, { world: other }: Dashboard): Promise<() => Promise<unknown>> {
  const { database } = world.connection;
  const allow = (isOpen: boolean) =>
    runSql(other.connection, `alter database ${database} with allow_connections ${isOpen}`);
  await allow(false);
  await runSql(other.connection, "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
    database,
  ]);
  return () => allow(true);
}
