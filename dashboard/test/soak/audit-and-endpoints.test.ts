import { beforeAll, describe, expect, it } from "vitest";
import { senderOf } from "../../../server/src/features/webhook-deliveries/sender.ts";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import { seedDelivery } from "../../../server/test/seed/seed-delivery.ts";
import { seedSubscription } from "../../../server/test/seed/seed-subscription.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };
const SLOW = { timeout: 20_000 * SLOWNESS };

describe("audit log names", () => {
  let project: TestProject;
  let job: { id: string };
  beforeAll(async () => {
    project = await dashboard.world.project();
    const { api } = await project.newKey({ name: "Deploy bot" });
    job = (await api.post("/v1/jobs", { name: "Charge card", endpoint_url: "https://example.com/" })).body;
    await api.patch(`/v1/jobs/${job.id}`, { name: "Charge a card" });
    const other = (await api.post("/v1/jobs", { name: "Send receipt", endpoint_url: "https://example.com/" })).body;
    await api.put(`/v1/jobs/${job.id}/dependencies`, { dependencies: [{ job_id: other.id }] });
    await dashboard.world.admin.put(`/v1/workflow-policies/${project.id}`, { max_steps: 9 });
    await api.put(`/v1/jobs/${job.id}/dependencies`, { dependencies: [] });
    await api.delete(`/v1/jobs/${job.id}`);
  });

  it("show the actor and the object's name at that time, also for deleted objects", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "audit-log");
    const grid = page.getByRole("grid", { name: "Audit events" });
    const cellsOf = async (action: string) => {
      const cells = grid.getByRole("row").filter({ hasText: action }).first().getByRole("gridcell");
      await cells.first().waitFor();
      return (await cells.allInnerTexts()).slice(1, 3).map((text) => text.split(/\s*\n\s*/));
    };
    const shown = `${job.id.slice(0, 4)}…${job.id.slice(-6)}`;
    expect(await cellsOf("job.updated")).toEqual([
      ["Deploy bot", "api key"],
      ["job", "Charge a card", shown],
    ]);
    expect(await cellsOf("job.deleted")).toEqual([
      ["Deploy bot", "api key"],
      ["job", "Charge a card", shown],
    ]);
    // The record has no name: only the id is shown.
    expect((await cellsOf("job.dependencies_changed"))[1]).toEqual(["job", shown]);
    // Shown once where the name equals the kind.
    expect((await cellsOf("workflow_policy.updated"))[0]).toEqual(["internal secret"]);
    await page.getByLabel("Action").fill("job.created");
    await page.keyboard.press("Enter");
    await expect.poll(() => grid.getByRole("row").count(), SLOW).toBe(3);
    expect((await cellsOf("Charge card"))[1]).toEqual(["job", "Charge card", shown]);
    expect(pageErrors).toEqual([]);
  });

  it("are shown in the event details, which link to all events of the object", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "audit-log?action=job.updated");
    const grid = page.getByRole("grid", { name: "Audit events" });
    await grid.getByRole("row").filter({ hasText: "job.updated" }).click();
    const event = page.getByRole("complementary", { name: "Audit event" });
    await event.getByText("job Charge a card", { exact: true }).waitFor();
    await event.getByText("Deploy bot", { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await event.getByRole("button", { name: "All events" }).first().click();
    await page.waitForURL(new RegExp(`resource_id=${job.id}`));
    await page.getByLabel("Action").fill("");
    await page.keyboard.press("Enter");
    // Created, updated, two changes of its dependencies, deleted; and the header row.
    await expect.poll(() => grid.getByRole("row").count(), SLOW).toBe(6);
    expect(pageErrors).toEqual([]);
  });
});

describe("endpoint cards", () => {
  let project: TestProject;
  let hosts: { unhealthy: string; healthy: string; plain: string };
  beforeAll(async () => {
    const { world } = dashboard;
    project = await world.project();
    const [healthy, plain] = [await jobEndpoint(), await jobEndpoint()];
    const unhealthy = (await jobEndpoint()).respondWith(400);
    hosts = {
      unhealthy: new URL(unhealthy.url).host,
      healthy: new URL(healthy.url).host,
      plain: new URL(plain.url).host,
    };
    for (const { url } of [healthy, unhealthy]) await subscribed(project, url);
    await seedDelivery(world.connection, project.id, { url: plain.url, environment_id: await productionOf(project) });
    await world.tick("send-webhooks");
    await senderOf(world.ctx).idle();
    await world.tick("recount-webhooks");
  });

  /** The environment that the dashboard shows first. */
  async function productionOf({ id }: TestProject): Promise<string> {
    const statement = "select id from environments where project_id = $1 and slug = 'production'";
    const [row] = await runSql<{ id: string }>(dashboard.world.connection, statement, [id]);
    if (!row) throw new Error("no environment");
    return row.id;
  }

  /** A subscribed endpoint with two pending deliveries. */
  async function subscribed(project: TestProject, url: string): Promise<void> {
    const { connection } = dashboard.world;
    const { id } = project;
    const subscription = await seedSubscription(connection, id, { url });
    const environment_id = await productionOf(project);
    for (let nth = 0; nth < 2; nth++) {
      const delivery = await seedDelivery(connection, id, { url, environment_id });
      const statement = "update webhook_deliveries set subscription_id = $3 where project_id = $1 and id = $2";
      await runSql(connection, statement, [id, delivery, subscription]);
    }
  }

  it("show the health of each endpoint, worst first, by icon and text", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "webhook-deliveries");
    const cards = page.getByRole("list", { name: "Receivers" }).getByRole("listitem");
    await expect.poll(() => cards.count(), SLOW).toBe(3);
    const [unhealthy, healthy, plain] = [hosts.unhealthy, hosts.healthy, hosts.plain].map((host) =>
      cards.filter({ hasText: host }),
    );
    if (!unhealthy || !healthy || !plain) throw new Error("no cards");
    expect(await cards.first().innerText()).toContain(hosts.unhealthy);
    await unhealthy.getByRole("img", { name: "Unhealthy" }).waitFor();
    expect(await unhealthy.innerText()).toMatch(/\b0\s?% of 2\b/);
    await unhealthy.getByText(/^Last failure: HTTP 400\. /).waitFor();
    await unhealthy.getByRole("img", { name: /Failed attempts/ }).waitFor();
    await healthy.getByRole("img", { name: "Healthy" }).waitFor();
    expect(await healthy.innerText()).toMatch(/\b100\s?% of 2\b.* p95 /);
    await healthy.getByText("No failed deliveries").waitFor();
    expect(await healthy.getByRole("img", { name: /Failed attempts/ }).count()).toBe(0);
    // Not subscribed, so there is nothing to test.
    expect(await plain.getByRole("button", { name: "Test" }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("send a test and link to the deliveries of the endpoint", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "webhook-deliveries");
    const cards = page.getByRole("list", { name: "Receivers" }).getByRole("listitem");
    const healthy = cards.filter({ hasText: hosts.healthy });
    await healthy.getByRole("button", { name: "Test" }).click();
    await page.getByText(/^Delivered: HTTP 200 in /).waitFor();
    const unhealthy = cards.filter({ hasText: hosts.unhealthy });
    await unhealthy.getByRole("button", { name: "Test" }).click();
    await page.getByText(/^Failed: /).waitFor();
    await unhealthy.getByRole("button", { name: hosts.unhealthy }).click();
    await page.waitForURL((url) => url.searchParams.get("host") === hosts.unhealthy);
    const rows = page.getByRole("grid", { name: "Webhook deliveries" }).getByRole("row");
    const { body } = await project.api.get(`/v1/webhook-deliveries?host=${hosts.unhealthy}`);
    await expect.poll(() => rows.count(), SLOW).toBe(body.data.length + 1);
    expect(pageErrors).toEqual([]);
  });

  it("disable the test for read-only keys and are not requested without the scope", TIMEOUT, async () => {
    const scopes = ["webhooks:read", "projects:read", "environments:read"];
    const reader = await project.newKey({ scopes: [...scopes, "analytics:read"] });
    const reading = await dashboard.signedIn({ key: reader.key });
    await reading.go(project, "webhook-deliveries");
    const test = reading.page.getByRole("list", { name: "Receivers" }).getByRole("button", { name: "Test" }).first();
    await test.waitFor();
    expect(await test.getAttribute("aria-disabled")).toBe("true");
    const blind = await dashboard.signedIn({ key: (await project.newKey({ scopes })).key });
    await blind.go(project, "webhook-deliveries");
    await blind.page.getByRole("grid", { name: "Webhook deliveries" }).getByRole("row").nth(1).waitFor();
    expect(await blind.page.getByRole("list", { name: "Receivers" }).count()).toBe(0);
    expect(blind.requests.filter((requested) => requested.includes("endpoint-health"))).toEqual([]);
    expect(blind.pageErrors).toEqual([]);
  });
});
