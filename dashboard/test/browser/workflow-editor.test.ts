import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { pictureOf } from "../picture-of.ts";
import { writeCode } from "../write-code.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme" });
  await project.api.post("/v1/jobs", { name: "Pack", slug: "pack", endpoint_url: "https://example.com/pack" });
  const steps = [
    { step_ref: "pack", job_id: "pack" },
    { step_ref: "rest", type: "sleep", sleep_duration: "1h", depends_on: ["pack"] },
  ];
  await project.api.post("/v1/workflows", { name: "Ship", slug: "ship", steps });
  await project.api.put(`/v1/workflow-policies/${project.id}`, { max_steps: 3 });
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

describe("the workflow editor", () => {
  it(
    "connects and configures a step in a form, plans and simulates the draft, and saves it as a canary",
    TIMEOUT,
    async () => {
      const { page, go, pageErrors } = await dashboard.signedIn();
      await go(project, "workflows/ship?tab=editor");
      const text = page.getByLabel("Definition", { exact: true });
      await text.getByText('"pack"').first().waitFor();
      await page.locator('.react-flow__node[data-id="rest"]').click();
      await page.getByRole("button", { name: "Add step" }).click();
      await page.getByRole("menuitem", { name: "Approval" }).click();
      const form = page.getByRole("region", { name: /^Step / });
      await form.getByLabel("Name", { exact: true }).fill("check");
      await form.getByLabel("Name", { exact: true }).press("Enter");
      await page.getByRole("region", { name: "Step check" }).getByLabel("Message").fill("Ship {{payload.id}}?");
      await page.locator('.react-flow__node[data-id="check"]').waitFor();
      await page.getByText("3 steps in 3 waves").waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await pictureOf(page, "workflow-editor");

      await page.getByRole("button", { name: "YAML" }).click();
      await text.getByText("step_ref: check").waitFor();
      await page.getByRole("tab", { name: "Simulate", exact: true }).click();
      await page.getByRole("button", { name: "Simulate draft" }).click();
      await page.getByRole("list", { name: "Predicted order" }).getByText("check").waitFor();
      await pictureOf(page, "workflow-editor-yaml");

      await page.getByRole("button", { name: "Review and save" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Make this the current version").uncheck();
      await dialog.getByLabel(/Start a canary/).fill("25");
      await dialog.getByRole("button", { name: "Save changes" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      const { body: canary } = await project.api.get("/v1/workflows/ship/canary");
      expect([canary.target_version, canary.traffic_pct]).toEqual([2, 25]);

      await page.locator('.react-flow__node[data-id="pack"]').click();
      await page.getByRole("region", { name: "Step pack" }).getByLabel("Timeout (seconds)").fill("60");
      await page.getByRole("button", { name: "Review and save" }).click();
      await dialog.getByLabel("Make this the current version").uncheck();
      await dialog.getByText("A canary is active.").waitFor();
      expect(await dialog.getByLabel(/Start a canary/).count()).toBe(0);
      await page.keyboard.press("Escape");
      expect(pageErrors).toEqual([]);
    },
  );

  it("shows all steps of a usual workflow, also beside the form of one", TIMEOUT, async () => {
    const after = (ref: string, ...depends_on: string[]) => ({
      step_ref: ref,
      type: "sleep",
      sleep_duration: "1s",
      depends_on,
    });
    const waves = [after("check"), after("fraud", "check"), after("stock", "check"), after("charge", "check")];
    const steps = [
      ...waves,
      after("approve", "fraud", "stock", "charge"),
      after("pack", "approve"),
      after("ship", "pack"),
    ];
    const other = await dashboard.world.project({ name: "Shop" });
    await other.api.post("/v1/workflows", { name: "Order", slug: "order", steps });
    const { page, go } = await dashboard.signedIn();
    await go(other, "workflows/order?tab=editor");
    const graph = page.locator(".react-flow");
    const outside = () =>
      graph.evaluate((pane) => {
        const room = pane.getBoundingClientRect();
        const nodes = [...pane.querySelectorAll<HTMLElement>(".react-flow__node")];
        const isIn = ({ left, right, top, bottom }: DOMRect) =>
          left >= room.left && right <= room.right && top >= room.top && bottom <= room.bottom;
        return [nodes.length, ...nodes.filter((node) => !isIn(node.getBoundingClientRect())).map(({ id }) => id)];
      });
    await expect.poll(outside).toEqual([7]);
    await page.locator('.react-flow__node[data-id="charge"]').click();
    await page.getByRole("region", { name: "Step charge" }).waitFor();
    await expect.poll(outside).toEqual([7]);
    await pictureOf(page, "workflow-editor-steps");
  });

  it(
    "marks errors of the schema and violations of the policy while one types, and completes names",
    TIMEOUT,
    async () => {
      const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
      await go(project, "workflows/ship?tab=editor");
      const text = page.getByLabel("Definition", { exact: true });
      const sleep = (nth: number) => ({ step_ref: `s${nth}`, type: "sleep", sleep_duration: "1s" });
      await writeCode(text, JSON.stringify({ steps: [{ ...sleep(1), on_failure: "explode" }] }));
      await page
        .getByText(/must be one of .*fail_workflow/)
        .first()
        .waitFor();
      expect(await text.getAttribute("aria-invalid")).toBe("true");
      expect(await page.locator(".cm-lintRange-error").count()).toBeGreaterThan(0);
      await writeCode(text, JSON.stringify({ steps: [1, 2, 3, 4].map(sleep) }));
      await page
        .getByText(/the policy of the project allows 3/)
        .first()
        .waitFor();
      await writeCode(text, '{"steps": [{"step_ref": "a", ');
      await page.keyboard.type('"job_');
      await page.getByRole("option", { name: /^job_id/ }).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await pictureOf(page, "workflow-editor-completion");
      await page.keyboard.press("Escape");
      expect(pageErrors.filter((error) => !error.includes("422"))).toEqual([]);
    },
  );
});
