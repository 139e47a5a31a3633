import { beforeAll, describe, expect, it } from "vitest";
import { applicationDatabase } from "../../../server/test/outside/application-database.ts";
import { freePort } from "../../../server/test/outside/free-port.ts";
import { until } from "../../../server/test/world/until.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };

describe("outbox sources", () => {
  it("are explained, created after a test of the connection, and show why they fail", TIMEOUT, async () => {
    const { world } = dashboard;
    const project = await world.project();
    const application = await applicationDatabase();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "outbox-sources");
    await page.getByText("No outbox sources yet").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Create outbox source" }).click();
    const dialog = page.getByRole("dialog", { name: "Create outbox source" });
    await dialog.getByLabel("Name").fill("Shop");
    await dialog.getByLabel("Connection string").fill("postgresql://somewhere");
    await dialog.getByRole("button", { name: "Create outbox source" }).click();
    await dialog
      .getByText(/must name user, host and database/)
      .first()
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByLabel("Connection string").fill(application.url);
    await dialog.getByRole("button", { name: "Create outbox source" }).click();
    const row = page.getByRole("grid", { name: "Outbox sources" }).getByRole("row").filter({ hasText: "Shop" });
    await row.waitFor();

    await application.network.cut();
    await world.tick("drain-outbox-sources");
    const isFailing = async () => (await project.api.get("/v1/outbox-sources")).body.data[0].state === "failing";
    await until("the source to fail", 20_000, isFailing);
    await page.getByRole("button", { name: "Refresh" }).click();
    await row.getByText("Failing").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await row.getByRole("button", { name: "Disable Shop" }).click();
    await row.getByText("Disabled").waitFor();
    // The rejected request is logged by the browser.
    expect(pageErrors.filter((error) => !error.includes("422"))).toEqual([]);
  });
});

describe("an endpoint that is away", () => {
  it("is shown with its state, since when, the next probe and the runs that wait for it", TIMEOUT, async () => {
    const { world } = dashboard;
    const project = await world.project();
    const host = `127.0.0.1:${await freePort()}`;
    await project.api.post("/v1/jobs", { name: "Away", slug: "away", endpoint_url: `http://${host}/` });
    await project.api.post("/v1/jobs/away/trigger/bulk", { items: Array.from({ length: 6 }, () => ({})) });
    await until("the endpoint to be known as away", 60_000, async () => {
      await world.runUntilIdle();
      const [endpoint] = (await project.api.get("/v1/endpoints")).body.data;
      return endpoint?.state === "unreachable" && endpoint.next_probe_at !== null;
    });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "endpoints");
    const row = page.getByRole("grid", { name: "Endpoints" }).getByRole("row").filter({ hasText: host });
    await row.getByText("Unreachable").waitFor();
    const cells = (await row.getByRole("gridcell").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    // State, host, down since, next probe, waiting runs.
    expect(cells[2]).toMatch(/now|ago|\d/);
    expect(cells[3]).not.toBe("–");
    expect(cells[4]).toBe("6");
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});
