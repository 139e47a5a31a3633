import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type WorkflowBench, workflowBench } from "../../../server/test/costs/workflow-bench.ts";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { type Dashboard, type OpenOptions, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { COUNT_POINTERS, keyboard, mouse, type UserInput } from "./user-input.ts";

/** The five most common journeys with real jobs and runs, by mouse and by keyboard alone. */
let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 180_000);

const TIMEOUT = { timeout: 300_000 * SLOWNESS };
const PHONE = { width: 390, height: 844 };
const INPUTS: [string, (page: Page) => UserInput][] = [
  ["by mouse", mouse],
  ["by keyboard alone", keyboard],
];

describe.each(INPUTS)("%s", (name, inputOf) => {
  /** A page of a new project. `end` checks what must hold after each journey. */
  async function begin(options: OpenOptions = {}) {
    const opened = await dashboard.signedIn(options);
    const { page, pageErrors } = opened;
    if (inputOf === keyboard) await page.addInitScript(COUNT_POINTERS);
    const end = async () => {
      if (inputOf === keyboard) expect(await page.evaluate("globalThis.pointed")).toBe(0);
      expect(pageErrors).toEqual([]);
    };
    return { ...opened, user: inputOf(page), end };
  }

  it("G8 1 finds a failed run by its payload, reads the error and replays it with edits", TIMEOUT, async () => {
    const { project, job_id } = await chargingJob();
    await project.api.post(`/v1/jobs/${job_id}/trigger`, { payload: { user: { id: 41 }, card: "declined" } });
    const { body: failed } = await project.api.post(`/v1/jobs/${job_id}/trigger`, {
      payload: { user: { id: 42 }, card: "declined" },
    });
    await project.api.post(`/v1/jobs/${job_id}/trigger`, { payload: { user: { id: 42 }, card: "good" } });
    await dashboard.world.runUntilIdle();
    const { page, go, user, end } = await begin();
    await go(project, "runs");
    await user.write(page.getByRole("combobox", { name: "Filter" }), "status:failed payload.user.id:42");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    const rows = page.getByRole("grid", { name: "Runs" }).locator("[data-place]");
    await page.waitForURL(/q=/);
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(1);
    await user.open(rows.first());
    await page.getByText("card declined: insufficient funds").first().waitFor();
    await user.press(page.getByRole("button", { name: "Replay", exact: true }));
    await user.write(page.getByRole("textbox", { name: "Payload" }), '{"user": {"id": 42}, "card": "good"}');
    await user.press(page.getByRole("button", { name: "Replay with edits" }));
    await page.waitForURL((url) => url.pathname.includes("/runs/") && !url.pathname.includes(failed.id));
    await dashboard.world.runUntilIdle();
    await page.getByRole("main").getByText("Completed").first().waitFor();
    const { body: created } = await project.api.get(`/v1/runs/${page.url().split("/").at(-1)}`);
    expect(created).toMatchObject({ status: "completed", replay_of: failed.id, payload: { card: "good" } });
    await end();
  });

  it("G8 2 approves a waiting workflow step on a phone", TIMEOUT, async () => {
    const { project, bench } = await newBench();
    const workflow = await bench.save(
      [
        { step_ref: "pack" },
        { step_ref: "release", type: "approval", message: "Ship order {{payload.order.id}}?", depends_on: ["pack"] },
        { step_ref: "ship", depends_on: ["release"] },
      ],
      { name: "Fulfill an order" },
    );
    const { run } = await bench.run(workflow, { payload: { order: { id: 7 } } });
    const { page, go, user, end } = await begin({ size: PHONE });
    await go(project, "workflow-runs");
    await user.open(page.getByRole("grid", { name: "Workflow runs" }).locator("[data-place]").first());
    await user.choose(page.getByRole("treeitem", { name: /release/ }));
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Ship order 7?").waitFor();
    await user.write(sheet.getByLabel("Comment"), "Known customer");
    await user.press(sheet.getByRole("button", { name: "Approve" }));
    await sheet.getByText("Completed", { exact: true }).waitFor();
    await dashboard.world.runUntilIdle();
    const { steps, run: done } = await bench.read(run.id);
    expect(steps.release?.output).toMatchObject({ approved: true, comment: "Known customer" });
    expect(done.status).toBe("completed");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE.width);
    await end();
  });

  it("G8 3 starts a canary with 10% of runs, compares the versions and promotes it", TIMEOUT, async () => {
    const { project, bench } = await newBench();
    const workflow = await bench.save([{ step_ref: "render" }], { name: "Nightly report" });
    const { page, go, user, end } = await begin();
    await go(project, "workflows/nightly-report?tab=editor");
    const steps = [
      { step_ref: "render", job_id: bench.job_id },
      { step_ref: "mail", job_id: bench.job_id, depends_on: ["render"] },
    ];
    await user.write(page.getByLabel("Definition", { exact: true }), JSON.stringify({ steps }));
    await user.press(page.getByRole("button", { name: "Review and save" }));
    await user.press(page.getByLabel("Make this the current version"));
    await user.press(page.getByRole("button", { name: "Save changes" }));
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await user.press(page.getByRole("tab", { name: "Canary" }));
    await user.press(page.getByRole("button", { name: "Start canary" }));
    await page.getByText("10% of new runs use version 2").first().waitFor();
    for (let nth = 0; nth < 30; nth++) await bench.start(workflow);
    await dashboard.world.runUntilIdle();
    await page.reload();
    const { body: canary } = await project.api.get(`/v1/workflows/${workflow}/canary`);
    const [source, target] = [
      page.getByRole("region", { name: "Version 1" }),
      page.getByRole("region", { name: "Version 2" }),
    ];
    await source.getByText(`${canary.metrics.source.runs} runs finished`).waitFor();
    await target.getByText(/runs? finished/).waitFor();
    expect(canary.metrics.source.runs + canary.metrics.target.runs).toBe(30);
    await user.press(page.getByRole("button", { name: "Promote", exact: true }));
    await user.press(page.getByRole("dialog").getByRole("button", { name: "Promote", exact: true }));
    await page.getByText("Version 2 is current").waitFor();
    const { body } = await project.api.get(`/v1/workflows/${workflow}`);
    expect(body.current_version).toBe(2);
    await end();
  });

  it("G8 4 rotates a key with a grace period for the old secret", TIMEOUT, async () => {
    const { world } = dashboard;
    const project = await world.project({ name: "Acme shop" });
    const { key: old, id } = await project.newKey({ name: "Checkout" });
    const { page, go, user, end } = await begin();
    await go(project, "api-keys");
    await user.press(page.getByRole("button", { name: "Rotate Checkout" }));
    const dialog = page.getByRole("dialog");
    await user.slide(dialog.getByRole("slider"), -1);
    await dialog.getByText("5m", { exact: true }).waitFor();
    await user.press(dialog.getByRole("button", { name: "Rotate key" }));
    const secret = await page.locator("[data-secret]").innerText();
    await user.press(dialog.getByLabel("I stored it"));
    await user.press(dialog.getByRole("button", { name: "Done" }));
    await page.getByRole("grid", { name: "API keys" }).getByText("Old secret").waitFor();
    expect(await page.content()).not.toContain(secret);
    const status = async (key: string) => (await world.as(key).get("/v1/me")).status;
    expect([await status(old), await status(secret)]).toEqual([200, 200]);
    await world.clock.pass("5m");
    await world.clock.pass("11s"); // keys are cached for some seconds
    await expect.poll(() => status(old), { timeout: 20_000 }).toBe(401);
    expect([id, await status(secret)]).toEqual([id, 200]);
    await world.clock.set(new Date().toISOString());
    await end();
  });

  it("G8 5 replays all dead letters of a job and checks the results", TIMEOUT, async () => {
    const { project, job_id, restore } = await chargingJob();
    for (let nth = 0; nth < 60; nth++)
      await project.api.post(`/v1/jobs/${job_id}/trigger`, { payload: { card: "declined", nth } });
    await dashboard.world.runUntilIdle();
    restore();
    const { page, go, user, end } = await begin();
    await go(project, "runs");
    await user.press(page.getByRole("button", { name: "Dead letter" }));
    await page.waitForURL(/q=is%3Adead/);
    await page.getByRole("grid", { name: "Runs" }).getByText("Failed").first().waitFor();
    await user.press(page.getByRole("checkbox", { name: "Select all loaded rows" }));
    await user.press(page.getByRole("button", { name: "Select all matching" }));
    await user.press(page.getByRole("button", { name: "Replay", exact: true }));
    await user.press(page.getByRole("dialog").getByRole("button", { name: "Replay 60 runs" }));
    await page.waitForURL(/batch-operations\//);
    await page.getByText("60/60 · 100%").waitFor();
    await dashboard.world.runUntilIdle();
    const { body } = await project.api.get("/v1/runs?status=completed&limit=100");
    expect([name, body.data.length]).toEqual([name, 60]);
    await end();
  });
});

/** A job that charges cards and fails for declined ones until it is fixed. */
async function chargingJob() {
  const project = await dashboard.world.project({ name: "Acme shop" });
  let isFixed = false;
  const endpoint = (await jobEndpoint()).respondWith(({ body }, response) => {
    const isGood = isFixed || body.payload.card !== "declined";
    const reply = isGood ? { charged: true } : { error: "card declined: insufficient funds" };
    response.writeHead(isGood ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(reply));
  });
  const job = { name: "Charge card", endpoint_url: endpoint.url, max_attempts: 1 };
  const { body } = await project.api.post("/v1/jobs", job);
  return { project, job_id: body.id as string, restore: () => (isFixed = true) };
}

async function newBench(): Promise<{ project: TestProject; bench: WorkflowBench }> {
  const project = await dashboard.world.project({ name: "Acme shop" });
  return { project, bench: await workflowBench(dashboard.world, project) };
}
