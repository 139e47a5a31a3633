import type { RunAttempt } from "@millrace/contract/runs/runs";
import { beforeAll, describe, expect, it } from "vitest";
import { runningRun } from "../../../server/test/seed/running-run.ts";
import { seedLogs } from "../../../server/test/seed/seed-logs.ts";
import { seedRuns } from "../../../server/test/seed/seed-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { formatDuration } from "../../src/parts/format.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { type DemoObjects, seedDemoObjects } from "../seed-demo-objects.ts";
import { streamOf } from "../stream-of.ts";
import { writeCode } from "../write-code.ts";

let dashboard: Dashboard;
let project: TestProject;
let ids: DemoObjects;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  ids = await seedDemoObjects(dashboard.world, project);
}, 180_000);

const TIMEOUT = { timeout: 60_000 * SLOWNESS };

/** The three attempts and the gaps between them, according to the API. */
async function lengthsByApi(): Promise<[string, number][]> {
  const { body } = await project.api.get(`/v1/runs/${ids.runId}/attempts`);
  const times = (body.data as RunAttempt[]).map((each) => [
    Date.parse(each.started_at),
    Date.parse(each.finished_at ?? ""),
  ]);
  return times.flatMap(([start = 0, end = 0], nth): [string, number][] => {
    const next = times[nth + 1]?.[0];
    const own: [string, number] = [`Attempt ${nth + 1}`, end - start];
    return next === undefined ? [own] : [own, ["Backoff", next - end]];
  });
}

describe("run", () => {
  it("draws three attempts with backoffs and shows details of the selected one", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${ids.runId}`);
    const bars = page.getByRole("tree", { name: "Trace" }).getByRole("treeitem");
    await bars.filter({ hasText: "Attempt 3" }).waitFor();
    const lengths = await lengthsByApi();
    const actual = (await bars.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    expect(actual.slice(2)).toEqual(lengths.map(([label, ms]) => `${label} ${formatDuration(ms)}`));
    const drawn = await page
      .locator("[data-bar]")
      .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().width));
    const perMs = (drawn[2] ?? 0) / (lengths[0]?.[1] ?? 1);
    for (const [nth, [, ms]] of lengths.entries()) expect(Math.abs((drawn[nth + 2] ?? 0) - ms * perMs)).toBeLessThan(2);
    await bars.filter({ hasText: "Attempt 2" }).click();
    await page.waitForURL(/span=.*attempt/);
    const chosen = page.getByRole("complementary", { name: "Span" });
    await chosen.getByText("HTTP status").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("distinguishes keys of the same name by their id", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const { body: original } = await project.api.get(`/v1/runs/${ids.runId}`);
    for (const key of [await project.newKey({ name: "twin" }), await project.newKey({ name: "twin" })]) {
      const { body: run } = await key.api.post(`/v1/jobs/${original.job_id}/trigger`, { payload: original.payload });
      await go(project, `runs/${run.id}`);
      await page.getByText("api by").first().waitFor();
      await page.getByTitle(key.id).first().waitFor();
    }
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("replays with a valid edited payload and links both runs", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `runs/${ids.runId}`);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    const payload = page.getByRole("textbox", { name: "Payload" });
    await writeCode(payload, '{"url": "https://example.com/other.csv", "rows": "many"}');
    await page.getByText("must be integer, but is string").waitFor();
    const replay = page.getByRole("button", { name: "Replay with edits" });
    expect(await replay.getAttribute("aria-disabled")).toBe("true");
    await writeCode(payload, '{"url": "https://example.com/other.csv", "rows": 7}');
    await page.getByText("Edited").waitFor();
    await replay.click();
    await page.waitForURL((url) => url.pathname.includes("/runs/") && !url.pathname.includes(ids.runId));
    const created = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { body } = await project.api.get(`/v1/runs/${created}`);
    expect(body).toMatchObject({ replay_of: ids.runId, payload: { rows: 7 } });
    await page.getByRole("tab", { name: "Related" }).click();
    await page.getByText("Replay of").waitFor();
    await go(project, `runs/${ids.runId}?tab=related`);
    await page.getByText("Replayed as").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("streams progress and log lines and renders only the visible ones", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await seedLogs(dashboard.world.connection, 1_000, { project_id: project.id, run_id: ids.agentRunId });
    const subscribed = streamOf(page, `run_logs:${ids.agentRunId}`);
    await go(project, `runs/${ids.agentRunId}?tab=logs`);
    const log = page.getByRole("log");
    await log.getByText("line 1000", { exact: true }).waitFor();
    expect(await log.getByRole("button").count()).toBeLessThan(120);
    await page.getByText("62%").waitFor();
    await subscribed;
    await seedLogs(dashboard.world.connection, 1, {
      project_id: project.id,
      run_id: ids.agentRunId,
      message: "just now",
      level: "error",
    });
    await log.getByText("just now").waitFor();
    await page.getByRole("button", { name: "Errors" }).click();
    await page.waitForURL(/level=error/);
    await log.getByText("just now").click();
    await page.getByRole("region", { name: "Log line" }).getByText("just now").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("shows progress from 0 to 100% as it is reported", TIMEOUT, async () => {
    const { run_id, sdk } = await runningRun(dashboard.world, project, { accepted: true });
    const { page, go } = await dashboard.signedIn();
    const subscribed = streamOf(page, `run:${run_id}`);
    await go(project, `runs/${run_id}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await subscribed;
    for (const percent of [0, 35, 70, 100]) {
      await sdk.post("/progress", { percent, message: `At ${percent}` });
      await page.getByText(`At ${percent}`, { exact: true }).waitFor();
      await page.getByText(`${percent}%`, { exact: true }).waitFor();
    }
  });

  it("is found with /, opened with j and Enter and replayed with r", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "runs");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("status:completed");
    await page.keyboard.press("Enter");
    await page.waitForURL(/completed/);
    await page.getByRole("grid", { name: "Runs" }).getByText("Completed").first().waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(/runs\/./);
    await page.getByRole("button", { name: "Replay", exact: true }).waitFor();
    await page.keyboard.press("r");
    await page.getByRole("dialog").getByRole("textbox", { name: "Payload" }).waitFor();
  });

  it("explains why a run waits and sends its event from a phone", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ size: { width: 390, height: 844 } });
    await go(project, "runs?q=status:waiting");
    const row = page.getByRole("row").filter({ hasText: "Waiting for event order-42.paid" });
    await row.getByRole("button", { name: "Send event" }).waitFor();
    await go(project, `runs/${ids.waitingRunId}`);
    const why = page.getByRole("region", { name: "Why it is not running" });
    await why
      .getByText(/is waiting for the event/)
      .first()
      .waitFor();
    await why.getByRole("timer").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await seriousFindings(page)).toEqual([]);
    await why.getByRole("button", { name: "Send event" }).click();
    const dialog = page.getByRole("dialog");
    await writeCode(dialog.getByLabel("Payload", { exact: true }), '{"amount": 1999}');
    await dialog.getByRole("button", { name: "Send event" }).click();
    await dialog.waitFor({ state: "detached" });
    const { body } = await project.api.get("/v1/events/order-42.paid");
    expect(body).toMatchObject({ status: "received", payload: { amount: 1999 } });
    expect(pageErrors).toEqual([]);
  });

  it("shows missing runs as not found, and why a viewer cannot cancel", TIMEOUT, async () => {
    const viewer = await project.newKey({ scopes: ["runs:read"] });
    const { page, go } = await dashboard.signedIn({ key: viewer.key });
    await go(project, `runs/${ids.batchId}`);
    await page.getByText("Run not found").waitFor();
    await go(project, `runs/${ids.agentRunId}`);
    const cancel = page.getByRole("button", { name: "Cancel", exact: true });
    await expect.poll(() => cancel.getAttribute("aria-disabled"), { timeout: 20_000 }).toBe("true");
  });
});

describe("batch operation", () => {
  it("shows live progress to the end, also after a reload", TIMEOUT, async () => {
    const other = await dashboard.world.project();
    const runs = Array.from({ length: 150 }, () => ({ status: "pending" as const }));
    await seedRuns(dashboard.world.connection, other.id, runs);
    const { body } = await other.api.post("/v1/runs/bulk-cancel-all", { filter: { status: "pending" } });
    const { page, go } = await dashboard.signedIn();
    await go(other, `batch-operations/${body.id}`);
    await page.getByText("0/150").waitFor();
    const subscribed = streamOf(page, `batch:${body.id}`);
    await page.reload();
    await page.getByText("0/150").waitFor();
    await subscribed;
    while (await dashboard.world.tick("work-on-batches"));
    await page.getByText("150/150 · 100%").waitFor();
    const { body: actual } = await other.api.get(`/v1/batch-operations/${body.id}`);
    expect(actual).toMatchObject({ total: 150, processed: 150, status: "completed" });
  });

  it("shows progress, failures with reasons and the final status", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "batch-operations");
    await page.getByRole("grid", { name: "Batch operations" }).getByText("12/150").waitFor();
    await page.getByRole("link", { name: "Cancel runs" }).click();
    await page.waitForURL(/batch-operations\/./);
    await page.getByText("12/150 · 8%").waitFor();
    await page.getByRole("grid", { name: "Items" }).getByText("seeded").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Cancel batch operation" }).click();
    await page.getByRole("main").getByText("Canceled").first().waitFor();
    expect(pageErrors).toEqual([]);
  });
});
