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

describe("workflows", () => {
  it("lists workflows and draws a graph without serious axe findings", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark", reducedMotion: true });
    await go(project, "workflows");
    await page.getByRole("grid", { name: "Workflows" }).getByText("Fulfill an order").click();
    await page.waitForURL(/workflows\/fulfill-an-order/);
    await page.locator('.react-flow__node[data-id="paid"]').click();
    await page.getByRole("complementary", { name: "Step" }).getByText("paid-{{payload.order.id}}").waitFor();
    expect(await page.locator(".react-flow__node").count()).toBe(10);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("compares two versions with exactly the differences of the API", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ reducedMotion: true });
    await go(project, `workflows/${demo.slug}?tab=versions&a=1&b=2`);
    const sides = [page.getByRole("figure", { name: "Version 1" }), page.getByRole("figure", { name: "Version 2" })];
    await sides[1]?.locator('.react-flow__node[data-id="survey"] [title=added]').waitFor();
    await sides[0]?.locator('.react-flow__node[data-id="cool-down"] [title=removed]').waitFor();
    await sides[1]?.locator('.react-flow__node[data-id="cool-down"] [title=removed]').waitFor();
    await sides[1]?.locator('.react-flow__node[data-id="ship"] [title=changed]').waitFor();
    expect(await page.locator("[title=added], [title=removed], [title=changed]").count()).toBe(5);
    await page.getByText("ship (depends_on, max_attempts)").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("changes the canary share with one request and keeps it", TIMEOUT, async () => {
    const { page, go, requests, pageErrors } = await dashboard.signedIn();
    await go(project, `workflows/${demo.slug}?tab=canary`);
    const slider = page.getByRole("slider");
    await slider.focus();
    // Back to back: a pause between them would send a request.
    await Promise.all(Array.from({ length: 15 }, () => page.keyboard.press("ArrowRight")));
    await page.getByText("25% of new runs use version 2").waitFor();
    expect(requests.filter((requested) => requested.startsWith("PATCH"))).toHaveLength(1);
    await page.reload();
    await expect.poll(() => slider.inputValue(), { timeout: 20_000 }).toBe("25");
    await page.getByText("Not enough data yet").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("plans in waves, draws a dependency cycle and simulates in API order", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn({ reducedMotion: true });
    await go(project, `workflows/${demo.slug}?tab=plan`);
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("10 steps in 5 waves").waitFor();
    await writeCode(plan.getByLabel(/overrides/), '[{"step_ref": "validate", "depends_on": ["ship"]}]');
    await plan.getByRole("button", { name: "Plan" }).click();
    await plan
      .getByText(/makes a cycle/)
      .first()
      .waitFor();
    await plan.locator('.react-flow__node[data-id="ship"]').waitFor();
    const simulate = page.getByRole("region", { name: "Simulate" });
    await writeCode(simulate.getByLabel("Payload"), '{"order": {"id": 1}}');
    await simulate.getByRole("button", { name: "Simulate" }).click();
    await simulate.getByRole("list", { name: "Predicted order" }).waitFor();
    const { body } = await project.api.post(`/v1/workflows/${demo.workflow_id}/simulate`, {
      payload: { order: { id: 1 } },
    });
    const shown = await simulate.getByRole("listitem").locator("span.font-medium").allInnerTexts();
    expect(shown).toEqual(body.predicted_order);
  });

  it("shows runs in flight when saving and records a breaking change in the audit log", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const { body: other } = await project.api.post("/v1/workflows", {
      name: "Rest",
      steps: [{ step_ref: "rest", type: "sleep", sleep_duration: "1h" }],
    });
    await project.api.post(`/v1/workflows/${other.id}/trigger`, {});
    await dashboard.world.runUntilIdle();
    await go(project, `workflows/${other.slug}?tab=editor`);
    await writeCode(
      page.getByLabel("Definition", { exact: true }),
      '{"steps": [{"step_ref": "rest", "type": "sleep", "sleep_duration": "2h"}]}',
    );
    await page.getByRole("button", { name: "Review and save" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 run in flight").waitFor();
    await dialog.getByLabel(/Breaking change/).check();
    await dialog.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("Saved; 1 run stays on version 1").waitFor();
    const { body } = await dashboard.world.admin.get(`/v1/audit-events?project_id=${project.id}&limit=100`);
    expect(body.data.map(({ action }: { action: string }) => action)).toContain("workflow.updated_breaking");
    await go(project, "audit-log?action=workflow.updated_breaking");
    await page.getByRole("grid", { name: "Audit events" }).getByText("workflow.updated_breaking").first().waitFor();
    expect(pageErrors).toEqual([]);
  });
});
