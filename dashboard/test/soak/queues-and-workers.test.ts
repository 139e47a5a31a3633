import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };

/** A pull job with three queued runs in a queue with limits. */
async function withQueue(): Promise<TestProject> {
  const project = await dashboard.world.project();
  const limits = { max_concurrency: 4, rate_limit_max: 100, rate_limit_window_secs: 60, weight: 250 };
  await project.api.post("/v1/queues", { name: "images", description: "Calls the image API", ...limits });
  await project.api.post("/v1/jobs", { name: "Resize image", slug: "resize-image", delivery: "pull", queue: "images" });
  for (let nth = 0; nth < 3; nth++) await project.api.post("/v1/jobs/resize-image/trigger", { payload: { nth } });
  return project;
}

function claim(project: TestProject) {
  return project.api.post("/worker/v1/claims", {
    worker_id: "worker-1",
    claim_id: randomUUID(),
    queues: ["images"],
    jobs: ["resize-image"],
    info: { name: "mill-7", version: "2.4.1", concurrency: 50 },
  });
}

describe("queues", () => {
  it("are explained until there is one besides default, and are created and edited", TIMEOUT, async () => {
    const project = await dashboard.world.project();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "queues");
    await page.getByText("All jobs are in the queue default.").waitFor();
    await page.getByRole("button", { name: "Create queue" }).click();
    const create = page.getByRole("dialog", { name: "Create queue" });
    await create.getByLabel("Name").fill("mail");
    await create.getByLabel("Rate limit (starts)").fill("10");
    await create.getByRole("button", { name: "Create queue" }).click();
    await create
      .getByText(/rate_limit_window_secs/)
      .first()
      .waitFor();
    await create.getByLabel("Rate limit window (seconds)").fill("60");
    expect(await seriousFindings(page)).toEqual([]);
    await create.getByRole("button", { name: "Create queue" }).click();
    const row = page.getByRole("grid", { name: "Queues" }).getByRole("row").filter({ hasText: "mail" });
    await row.getByText("10 in 1m").waitFor();
    expect(await page.getByText("All jobs are in the queue default.").count()).toBe(0);
    await row.getByRole("button", { name: "Edit mail" }).click();
    const edit = page.getByRole("dialog", { name: "Edit mail" });
    await edit.getByLabel("Max. concurrency").fill("7");
    await edit.getByLabel("Rate limit (starts)").fill("");
    await edit.getByLabel("Rate limit window (seconds)").fill("");
    await edit.getByRole("button", { name: "Save queue" }).click();
    await edit.waitFor({ state: "detached" });
    const { body } = await project.api.get("/v1/queues/mail");
    expect(body).toMatchObject({ max_concurrency: 7, rate_limit_max: null, rate_limit_window_secs: null, weight: 100 });
    // The rejected request is logged by the browser.
    expect(pageErrors.filter((error) => !error.includes("422"))).toEqual([]);
  });

  it("show their load and limits, and are paused and resumed in place", TIMEOUT, async () => {
    const project = await withQueue();
    await claim(project);
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "queues");
    const row = page.getByRole("grid", { name: "Queues" }).getByRole("row").filter({ hasText: "images" });
    await row.getByRole("progressbar", { name: "images: runs in flight" }).waitFor();
    const cells = await row.getByRole("gridcell").allInnerTexts();
    // State, name, depth, (oldest), in flight, jobs, workers, limits, weight.
    expect([...cells.slice(0, 1), cells[2], ...cells.slice(4, 10)].map((text) => text?.trim())).toEqual([
      "Active",
      "2",
      "1",
      "1",
      "1",
      "4",
      "100 in 1m",
      "250",
    ]);
    expect(await seriousFindings(page)).toEqual([]);
    await row.getByRole("button", { name: "Pause images" }).click();
    await row.getByText("Paused").waitFor();
    expect((await project.api.get("/v1/queues/images")).body.paused).toBe(true);
    await row.getByRole("button", { name: "Resume images" }).click();
    await row.getByText("Active").waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("are deleted once no job names them, and until then the jobs are listed", TIMEOUT, async () => {
    const project = await withQueue();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "queues");
    const keep = page.getByRole("button", { name: "Delete default" });
    await keep.waitFor();
    expect(await keep.getAttribute("aria-disabled")).toBe("true");
    await page.getByRole("button", { name: "Delete images" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete the queue images?" });
    await dialog.getByRole("link", { name: "Resize image" }).waitFor();
    const confirm = dialog.getByRole("button", { name: "Delete queue" });
    expect(await confirm.getAttribute("aria-disabled")).toBe("true");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await project.api.patch("/v1/jobs/resize-image", { queue: "default" });
    await go(project, "queues");
    await page.getByRole("button", { name: "Delete images" }).click();
    await dialog.getByText("No job uses it.").waitFor();
    await confirm.click();
    await page.getByText("images deleted").waitFor();
    expect((await project.api.get("/v1/queues/images")).status).toBe(404);
    expect(pageErrors).toEqual([]);
  });

  it("are offered for the workers of a new key, and shown on the key", TIMEOUT, async () => {
    const project = await withQueue();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "api-keys");
    await page.getByRole("button", { name: "Create API key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create API key" });
    await dialog.getByLabel("Name").fill("Image worker");
    await dialog.getByRole("group", { name: "Queues for workers" }).getByLabel("images").check();
    const served = dialog.getByRole("group", { name: "Environments for workers" });
    for (const name of ["Production", "Staging"]) await served.getByLabel(name).check();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog", { name: "API key created" }).waitFor();
    const { body } = await project.api.get("/v1/api-keys");
    const created = body.data.find(({ name }: { name: string }) => name === "Image worker");
    const { body: environments } = await project.api.get("/v1/environments");
    const idOf = (wanted: string) => environments.data.find(({ slug }: { slug: string }) => slug === wanted).id;
    expect(created.queues).toEqual(["images"]);
    expect(created.worker_environment_ids.sort()).toEqual([idOf("production"), idOf("staging")].sort());
    await go(project, `api-keys?peek=${created.id}`);
    await page.getByText("Environments for workers").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("are read-only without the scope", TIMEOUT, async () => {
    const project = await withQueue();
    const { key } = await project.newKey({ scopes: ["jobs:read", "projects:read", "environments:read"] });
    const { page, go, pageErrors } = await dashboard.signedIn({ key });
    await go(project, "queues");
    for (const name of ["Pause images", "Edit images", "Delete images", "Create queue"]) {
      const button = page.getByRole("button", { name });
      await button.waitFor();
      expect(await button.getAttribute("aria-disabled")).toBe("true");
    }
    expect(pageErrors).toEqual([]);
  });
});

describe("workers", () => {
  it("are listed while they are live; before that, the page shows how to start one", TIMEOUT, async () => {
    const project = await withQueue();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "workers");
    await page.getByText("No live workers").waitFor();
    await page.getByText(/createWorker\(\{ jobs: \[resizeImage\]/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await claim(project);
    await page.getByRole("button", { name: "Refresh" }).click();
    const row = page.getByRole("grid", { name: "Workers" }).getByRole("row").filter({ hasText: "mill-7" });
    await row.waitFor();
    const cells = (await row.getByRole("gridcell").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    expect(cells.slice(0, 5)).toEqual(["mill-7 worker-1", "images", "resize-image", "2.4.1", "1/50"]);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

describe("a job that is pulled", () => {
  it("is created without an endpoint, in a queue, and is pushed after its settings say so", TIMEOUT, async () => {
    const project = await withQueue();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "jobs");
    await page.getByRole("button", { name: "Create job" }).click();
    const dialog = page.getByRole("dialog", { name: "Create job" });
    await dialog.getByLabel("Name").fill("Crop image");
    expect(await dialog.getByLabel("Endpoint").getAttribute("required")).not.toBeNull();
    await dialog.getByLabel("Delivery").selectOption("pull");
    expect(await dialog.getByLabel("Endpoint").count()).toBe(0);
    await dialog.getByLabel("Queue").selectOption("images");
    await dialog.getByRole("button", { name: "Create job" }).click();
    await page.waitForURL(/jobs\/.*tab=test/);
    const { body: job } = await project.api.get("/v1/jobs/crop-image");
    expect(job).toMatchObject({ delivery: "pull", queue: "images", endpoint_url: null });
    await go(project, `jobs/${job.id}`);
    await page.getByText("pull, by workers").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await go(project, `jobs/${job.id}?tab=settings`);
    expect(await page.getByLabel("Endpoint", { exact: true }).count()).toBe(0);
    await page.getByLabel("Delivery").selectOption("push");
    await page.getByLabel("Endpoint", { exact: true }).fill("https://example.com/crop");
    await page.getByLabel("Queue", { exact: true }).selectOption("default");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByRole("button", { name: "Save job" }).click();
    await page.getByText("Job saved").waitFor();
    const { body: saved } = await project.api.get("/v1/jobs/crop-image");
    expect(saved).toMatchObject({ delivery: "push", queue: "default", endpoint_url: "https://example.com/crop" });
    expect(pageErrors).toEqual([]);
  });
});
