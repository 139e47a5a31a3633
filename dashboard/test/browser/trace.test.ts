import { beforeAll, describe, expect, it } from "vitest";
import { workflowBench } from "../../../server/test/costs/workflow-bench.ts";
import { type RunningRun, runningRun } from "../../../server/test/seed/running-run.ts";
import { seedRun } from "../../../server/test/seed/seed-run.ts";
import { waitingRun } from "../../../server/test/seed/waiting-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

const HOSTILE = `<img src=x onerror="alert(1)"><svg onload=alert(2)>`;
const TIMEOUT = { timeout: 120_000 * SLOWNESS };

let dashboard: Dashboard;
let project: TestProject;
let run: RunningRun;
beforeAll(async () => {
  dashboard = await openDashboard();
  const { world } = dashboard;
  project = await world.project({ name: "Acme shop" });
  run = await runningRun(world, project, { accepted: true });
  await world.clock.pass("2s");
  await run.sdk.post("/log", {
    logs: [
      { message: HOSTILE, level: "error" },
      { message: "needle", level: "info" },
    ],
  });
  await run.sdk.post("/tool-call", { name: HOSTILE, input: { q: HOSTILE }, output: 1, duration_ms: 1_000 });
  const spans = [{ id: "render", attempt: 1, from_ms: 100, ms: 700 }];
  await run.sdk.post("/checkpoint", { state: { $steps: {}, $state: null, $spans: spans } });
  await seedRun(world.connection, project.id, { parent_run_id: run.run_id });
}, 180_000);

describe("the trace of a run", () => {
  it("shows what it did, searches it, and loads child runs when they are expanded, by mouse", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    page.on("dialog", (dialog) => pageErrors.push(`dialog: ${dialog.message()}`));
    await go(project, `runs/${run.run_id}`);
    const tree = page.getByRole("tree", { name: "Trace" });
    await tree.getByRole("treeitem", { name: /render/ }).waitFor();
    await tree.getByRole("treeitem", { name: HOSTILE }).first().click();
    await page.getByRole("complementary", { name: "Span" }).getByText(HOSTILE).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const child = tree.locator("[role=treeitem][aria-expanded=false]").last();
    const before = await tree.getByRole("treeitem").count();
    await child.locator("[data-toggle]").click();
    await expect.poll(() => tree.getByRole("treeitem").count(), { timeout: 20_000 }).toBeGreaterThan(before);
    await page.getByRole("searchbox", { name: "Search the trace" }).fill("needle");
    await page.getByText("1 match", { exact: true }).waitFor();
    expect(await tree.getByRole("treeitem").count()).toBe(3);
    await page.getByRole("tab", { name: /^Logs ?2$/ }).waitFor();
    await page.getByRole("tab", { name: /^Tool calls ?1$/ }).waitFor();
    expect(await page.getByRole("tab", { name: "Dependencies" }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it("is walked, collapsed and zoomed by keyboard, in the dark theme", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, `runs/${run.run_id}`);
    const tree = page.getByRole("tree", { name: "Trace" });
    const attempt = tree.getByRole("treeitem", { name: /Attempt 1/ });
    await tree.getByRole("treeitem", { name: /render/ }).waitFor();
    await tree.getByRole("treeitem").first().focus();
    // Time in the queue is a row before the attempt, if there was any.
    const isReached = () => attempt.evaluate((item) => item === document.activeElement);
    const place = () => tree.getByRole("treeitem").evaluateAll((all) => all.indexOf(document.activeElement as never));
    for (let nth = 0; nth < 3 && !(await isReached()); nth++) {
      const before = await place();
      await page.keyboard.press("ArrowDown");
      await expect.poll(place).not.toBe(before);
    }
    expect(await isReached()).toBe(true);
    await page.keyboard.press("ArrowLeft");
    expect(await attempt.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("ArrowRight");
    await tree.getByRole("treeitem", { name: /render/ }).waitFor();
    const axis = page.locator("[data-axis]");
    const whole = await axis.innerText();
    await page.keyboard.press("+");
    await expect.poll(() => axis.innerText()).not.toBe(whole);
    await page.keyboard.press("0");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Span" }).getByText("X-Svc-Run-Id").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary", { name: "Span" }).waitFor({ state: "detached" });
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("gains log lines as they arrive", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `runs/${run.run_id}`);
    await page.getByRole("treeitem", { name: /render/ }).waitFor();
    await run.sdk.post("/log", { message: "just now", level: "info" });
    await page.getByRole("treeitem", { name: "just now" }).waitFor();
  });
});

describe("what a run waits for", () => {
  it("is its status in the list and on its page, with the action on the row", TIMEOUT, async () => {
    const { run_id } = await waitingRun(dashboard.world, project, { event_key: "order-5.paid", timeout_secs: 3_600 });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs?q=status:waiting");
    const row = page.getByRole("row").filter({ hasText: "Waiting for event order-5.paid" });
    await row.getByRole("button", { name: "Send event" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send event" }).click();
    await page.getByText("Event sent").waitFor();
    expect((await project.api.get(`/v1/runs/${run_id}`)).body.status).not.toBe("waiting");
    expect(pageErrors).toEqual([]);
  });

  it("approvals are counted in the sidebar, and decided together with a comment", TIMEOUT, async () => {
    const bench = await workflowBench(dashboard.world, project);
    const workflow = await bench.save([{ step_ref: "ok", type: "approval", message: `Ship? ${HOSTILE}` }]);
    const { run: first } = await bench.run(workflow);
    await bench.run(workflow);
    const { page, go, pageErrors } = await dashboard.signedIn();
    page.on("dialog", (dialog) => pageErrors.push(`dialog: ${dialog.message()}`));
    await go(project, "approvals");
    await page.getByRole("navigation").getByText("2 waiting for your approval").waitFor({ state: "attached" });
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("checkbox", { name: /all/i }).first().check();
    const bar = page.getByRole("region", { name: "Selected approvals" });
    await bar.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("dialog").getByLabel("Comment").fill("Both are fine");
    await page.getByRole("dialog").getByRole("button", { name: "Approve 2 steps" }).click();
    await page.getByText("Approved 2 steps").waitFor();
    const { body } = await project.api.get(`/v1/workflow-runs/${first.id}/steps/ok`);
    expect(body.output).toMatchObject({ approved: true, comment: "Both are fine" });
    await page.getByText("Nothing is waiting for your approval").waitFor();
    expect(pageErrors).toEqual([]);
  });
});
