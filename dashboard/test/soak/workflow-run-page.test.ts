import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { type DemoWorkflows, seedDemoWorkflows } from "../seed-demo-workflows.ts";
import { writeCode } from "../write-code.ts";

let dashboard: Dashboard;
let project: TestProject;
let demo: DemoWorkflows;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  demo = await seedDemoWorkflows(dashboard.world, project);
}, 180_000);

const TIMEOUT = { timeout: 90_000 * SLOWNESS };
const SLOW = { timeout: 20_000 };

/** The smallest text of the graph, in pixels of the screen. */
async function smallestText(page: Page): Promise<number> {
  return page.locator(".react-flow").evaluate((graph) => {
    const view = graph.querySelector(".react-flow__viewport");
    const zoom = new DOMMatrix(view ? getComputedStyle(view).transform : "").a;
    const words = [...(view?.querySelectorAll("*") ?? [])].filter((element) =>
      [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim()),
    );
    return Math.min(...words.map((element) => Number.parseFloat(getComputedStyle(element).fontSize) * zoom));
  });
}

const panelOf = (page: Page) => page.getByRole("complementary", { name: "Step" });

async function stepsOf(id: string): Promise<Record<string, { status: string; generation: number; output: unknown }>> {
  const { body } = await project.api.get(`/v1/workflow-runs/${id}/steps?limit=100`);
  return Object.fromEntries(body.data.map((step: { step_ref: string }) => [step.step_ref, step]));
}

describe("a workflow run", () => {
  it("shares one selection between graph, timeline, list and URL", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ reducedMotion: true });
    await go(project, `workflow-runs/${demo.waiting}`);
    await page.locator('.react-flow__node[data-id="paid"]').click();
    await page.waitForURL(/step=paid/);
    await panelOf(page).getByText("paid-7", { exact: true }).waitFor();
    await panelOf(page).getByText("the run fails").first().waitFor();
    const left = await panelOf(page).getByRole("timer").first().innerText();
    expect(left).toMatch(/^1h 5\dm$/);
    expect(await page.locator(".react-flow__edge.critical").count()).toBeGreaterThan(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Trace", exact: true }).click();
    await page.getByRole("treeitem", { name: /paid/, selected: true }).waitFor();
    await page.getByRole("button", { name: "List" }).click();
    await page.reload();
    const item = page.getByRole("treeitem", { name: /paid Event/, selected: true });
    await item.waitFor();
    expect(await page.getByRole("treeitem", { level: 2 }).count()).toBe(10);
    expect(await seriousFindings(page)).toEqual([]);
    await item.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/step=fraud-check/);
    expect(pageErrors).toEqual([]);
  });

  it("never draws the text of its graph smaller than 12 px, however far it is zoomed out", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn({ size: { width: 1024, height: 768 } });
    await go(project, `workflow-runs/${demo.waiting}`);
    await page.locator(".react-flow__node").first().waitFor();
    for (const zoom of ["as it opens", "once", "twice", "three times"]) {
      if (zoom !== "as it opens") await page.getByRole("button", { name: "Zoom out" }).click();
      // Sizes follow the zoom in steps of 5 percent.
      await expect.poll(() => smallestText(page), { message: zoom, timeout: 20_000 }).toBeGreaterThanOrEqual(11.5);
    }
  });

  it("filters decisions by step and type and links them to their step", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflow-runs/${demo.waiting}`);
    await page.getByRole("button", { name: "Explain" }).click();
    const dock = page.getByRole("region", { name: "Decisions" });
    await dock.getByLabel("Decision", { exact: true }).selectOption("skip");
    await page.waitForURL(/decision=skip/);
    await expect.poll(() => dock.getByRole("listitem").count(), SLOW).toBe(2);
    await dock.getByText("fraud-check failed and its on_failure is skip_dependents").waitFor();
    await dock.getByLabel("Step", { exact: true }).selectOption("pack");
    await expect.poll(() => dock.getByRole("listitem").count(), SLOW).toBe(1);
    await dock.getByRole("button", { name: "pack" }).click();
    await page.waitForURL(/step=pack/);
    await panelOf(page).getByText("dependency: fraud-check").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("shows the name and id of who decided", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const twin = await project.newKey({ name: "twin" });
    for (const verb of ["pause", "resume"]) await twin.api.post(`/v1/workflow-runs/${demo.waiting}/${verb}`);
    await go(project, `workflow-runs/${demo.waiting}?explain=on&decision=pause`);
    const dock = page.getByRole("region", { name: "Decisions" });
    await dock.getByText("Paused by twin.").waitFor();
    await dock.getByTitle(twin.id).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it(
    "sends an event: the step continues, the same payload is idempotent, another one is compared",
    TIMEOUT,
    async () => {
      const { page, go } = await dashboard.signedIn();
      await go(project, `workflow-runs/${demo.waiting}?step=paid`);
      await page.locator('.react-flow__node[data-id="paid"] [aria-label="Waiting"]').waitFor();
      const send = async (name: string, payload: object) => {
        await panelOf(page).getByRole("button", { name }).click();
        await writeCode(page.getByRole("dialog").getByLabel("Payload"), JSON.stringify(payload));
        await page.getByRole("dialog").getByRole("button", { name: "Send event" }).click();
      };
      await send("Send event", { amount: 1_890 });
      await page.locator('.react-flow__node[data-id="paid"] [aria-label="Completed"]').waitFor();
      await dashboard.world.runUntilIdle();
      await page.locator('.react-flow__node[data-id="send-receipt"] [aria-label="Completed"]').waitFor();
      await panelOf(page).getByText("amount").waitFor();
      expect((await stepsOf(demo.waiting)).paid?.output).toEqual({ amount: 1_890 });
      await send("Send again", { amount: 5 });
      await page.getByRole("dialog").getByText("− Already received").waitFor();
      await page.getByRole("dialog").getByText('"amount": 1890').waitFor();
      await page.getByRole("dialog").getByText('"amount": 5', { exact: false }).first().waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await send("Send again", { amount: 1_890 });
      await page.getByText("Already received with the same payload").waitFor();
    },
  );

  it("approves on a phone without horizontal scrolling", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({
      size: { width: 390, height: 844 },
      theme: "dark",
      reducedMotion: true,
    });
    await go(project, `workflow-runs/${demo.waiting}`);
    await page.getByRole("treeitem", { name: /release/ }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Ship order 7 over 1,000? reserve-stock is done.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await sheet.getByLabel("Comment").fill("Known customer");
    await sheet.getByRole("button", { name: "Approve" }).click();
    await sheet.getByText("Completed", { exact: true }).waitFor();
    expect((await stepsOf(demo.waiting)).release?.output).toMatchObject({ approved: true, comment: "Known customer" });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(pageErrors).toEqual([]);
  });

  it("previews which steps a replay restarts, and restarts exactly those", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, `workflow-runs/${demo.failed}?step=charge-card`);
    await panelOf(page).getByText("card declined: insufficient funds").first().waitFor();
    await panelOf(page).getByRole("button", { name: "Replay from here" }).click();
    const dialog = page.getByRole("dialog");
    const named = async (list: string) =>
      (await dialog.getByRole("region", { name: list }).getByRole("listitem").allInnerTexts()).sort();
    await dialog.getByRole("region", { name: "Steps to run again" }).getByRole("listitem").first().waitFor();
    const [again, unchanged] = [await named("Steps to run again"), await named("Unchanged steps")];
    const before = await stepsOf(demo.failed);
    await dialog.getByRole("button", { name: `Replay ${again.length} steps` }).click();
    await dialog.waitFor({ state: "detached" });
    const after = await stepsOf(demo.failed);
    const reset = Object.keys(after).filter((ref) => after[ref]?.generation !== before[ref]?.generation);
    expect(reset.sort()).toEqual(again);
    expect(unchanged).toContain("validate");
    await dashboard.world.runUntilIdle();
  });

  it("shows a viewer why buttons are disabled", TIMEOUT, async () => {
    const viewer = await project.newKey({
      scopes: ["workflows:read", "events:read", "projects:read", "environments:read"],
    });
    const { page, go } = await dashboard.signedIn({ key: viewer.key });
    await go(project, `workflow-runs/${demo.failed}?step=validate`);
    const replay = panelOf(page).getByRole("button", { name: "Replay from here" });
    await expect.poll(() => replay.getAttribute("aria-disabled"), SLOW).toBe("true");
    await replay.hover();
    await page.getByRole("tooltip").getByText("You need the workflows:write scope for this.").waitFor();
  });
});

describe("workflow runs", () => {
  it("lists runs, filters by the URL and counts new ones without moving rows", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "workflow-runs?status=completed&kept=1");
    const rows = page.getByRole("grid", { name: "Workflow runs" }).getByRole("row");
    await rows.nth(1).getByText("Nightly report").waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await expect.poll(() => rows.count(), SLOW).toBe(4);
    expect(page.url()).toContain("kept=1");
    await page.getByText("Live", { exact: true }).waitFor();
    await project.api.post(`/v1/workflows/${demo.workflow_id}/trigger`, { payload: { order: { id: 99 } } });
    await dashboard.world.runUntilIdle();
    await page.getByRole("button", { name: "1 new" }).click();
    await expect.poll(() => rows.count(), SLOW).toBe(5);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
