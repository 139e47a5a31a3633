import { readFileSync } from "node:fs";
import type { StepImpact } from "@millrace/contract/workflows/workflow-versions";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { rollUp } from "../seed-demo-insight.ts";
import { type DemoWorkflows, seedDemoWorkflows } from "../seed-demo-workflows.ts";

let dashboard: Dashboard;
let project: TestProject;
let demo: DemoWorkflows;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  demo = await seedDemoWorkflows(dashboard.world, project);
  await rollUp(dashboard.world);
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };
const SLOW = { timeout: 20_000 };

describe("workflow performance", () => {
  it("step funnel and durations match the API", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflows/${demo.slug}?tab=performance`);
    const { body: workflow } = await project.api.get(`/v1/workflows/${demo.slug}`);
    const { body } = await project.api.get(`/v1/workflows/${workflow.id}/versions/${workflow.version_id}/impact`);
    const funnel = page.getByRole("list", { name: "Runs that reached each step" }).getByRole("listitem");
    await funnel.first().waitFor();
    const shown = (await funnel.allInnerTexts()).map((text) => text.split(/\s+/).slice(0, 2));
    expect(shown).toEqual(body.steps.map(({ step_ref, reached }: StepImpact) => [step_ref, String(reached)]));
    const timed = body.steps.filter(({ durations }: StepImpact) => durations !== null);
    expect(await page.locator("[data-box]").count()).toBe(timed.length);
    await page.getByRole("figure", { name: "Step funnel" }).getByRole("button", { name: "View as table" }).click();
    await page.getByRole("columnheader", { name: "skipped" }).waitFor();
    await page.getByText("of started runs").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

describe("workflow triggers", () => {
  it("lists schedules and events; adds, pauses and deletes a schedule", TIMEOUT, async () => {
    const { body: source } = await project.api.post("/v1/event-sources", { name: "Shop events" });
    const filter = 'event.type == "order.paid"';
    await project.api.post(`/v1/event-sources/${source.id}/subscriptions`, { workflow_id: demo.slug, filter });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflows/${demo.slug}?tab=triggers`);
    await page.getByRole("list", { name: "Subscriptions" }).getByText(filter).waitFor();
    await page.getByRole("button", { name: "Create schedule" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Every morning");
    await dialog.getByLabel("Cron").fill("30 7 * * *");
    await dialog.getByText("At 07:30").waitFor();
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    const row = page.getByRole("list", { name: "Schedules" }).getByRole("listitem");
    await row.getByText("Every morning").waitFor();
    const read = async () => (await project.api.get(`/v1/schedules?workflow_id=${demo.workflow_id}`)).body.data;
    expect(await read()).toMatchObject([{ name: "Every morning", cron: "30 7 * * *", paused: false }]);
    await row.getByRole("button", { name: "Pause schedule" }).click();
    await row.getByText("paused", { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await row.getByRole("button", { name: "Delete schedule" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete schedule" }).click();
    await expect.poll(async () => (await read()).length, SLOW).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

describe("workflow run graph", () => {
  it("exports as PNG, SVG and Mermaid", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflow-runs/${demo.waiting}`);
    await page.locator('.react-flow__node[data-id="paid"]').waitFor();
    const take = async (name: string) => {
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name }).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const png = await take("As PNG");
    expect(png.name).toMatch(/\.png$/);
    expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(png.bytes.readUInt32BE(16)).toBeGreaterThan(1_000);
    expect((await take("As SVG")).bytes.toString()).toContain("charge-card");
    expect((await take("As Mermaid")).bytes.toString()).toContain("graph LR");
    expect(pageErrors).toEqual([]);
  });

  it("hides completed steps, follows running ones and groups decisions by step", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, `workflow-runs/${demo.waiting}`);
    const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
    await node("validate").waitFor();
    await page.getByRole("button", { name: "Hide completed steps" }).click();
    await expect.poll(() => node("validate").count(), SLOW).toBe(0);
    await node("paid").waitFor();
    await page.waitForURL(/hide=done/);
    await page.getByRole("button", { name: "Follow running steps" }).click();
    await page.waitForURL(/follow=on/);
    await expect
      .poll(async () => {
        const [box, size] = [await node("paid").boundingBox(), page.viewportSize()];
        return box !== null && box.x > 0 && box.x + box.width < (size?.width ?? 0);
      }, SLOW)
      .toBe(true);
    await page.getByRole("button", { name: "Explain" }).click();
    const dock = page.getByRole("region", { name: "Decisions" });
    await dock.getByRole("button", { name: "By step" }).click();
    await page.waitForURL(/by=step/);
    await dock
      .getByRole("listitem")
      .filter({ hasText: /^validate\s*\d+$/ })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
