import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { jobEndpoint } from "../../../server/test/outside/job-endpoint.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { pictureOf } from "../picture-of.ts";
import { writeCode } from "../write-code.ts";

let dashboard: Dashboard;
let project: TestProject;
let url: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme" });
  url = (await jobEndpoint()).url;
  await project.api.post("/v1/jobs", { name: "Send receipt", slug: "send-receipt", endpoint_url: url });
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };
const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();

describe("environments", () => {
  it("are added with an imported .env, inherit, are compared, changed and deleted", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "environments");
    await press(page, "Add environment");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Preview");
    await dialog.getByText("Import a .env file").click();
    await dialog.getByLabel(".env", { exact: true }).fill("# shop\nAPI_URL=https://a.example\nTOKEN='s3cret'");
    await dialog.getByRole("button", { name: "Import 2 variables" }).click();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "environment-dialog");
    await dialog.getByRole("button", { name: "Add environment" }).click();
    const card = page.getByRole("region", { name: "Preview" });
    await card.getByText("2 variables").waitFor();
    expect(await page.content()).not.toContain("s3cret");

    await press(page, "Add environment");
    await dialog.getByLabel("Name", { exact: true }).fill("Feature");
    await dialog.getByLabel("Inherits variables from").selectOption({ label: "Preview" });
    const inherited = dialog.getByRole("list", { name: "Inherited variables" }).getByRole("listitem");
    await inherited.filter({ hasText: "API_URL" }).getByRole("button", { name: "Override" }).click();
    await dialog.getByLabel("Value of API_URL", { exact: true }).fill("https://b.example");
    await dialog.getByRole("button", { name: "Add environment" }).click();
    await dialog.waitFor({ state: "detached" });
    const { body: feature } = await project.api.get("/v1/environments/feature");
    expect(feature.resolved_variables).toEqual({ API_URL: "https://b.example", TOKEN: "s3cret" });

    await press(page, "Compare");
    await page.getByLabel("Left").selectOption("feature");
    await page.getByLabel("Right").selectOption("preview");
    const rows = page.getByRole("region", { name: "Comparison" }).getByRole("row");
    await rows.filter({ hasText: "API_URL" }).getByText("different").waitFor();
    await rows.filter({ hasText: "TOKEN" }).getByText("same").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "environments-compare");

    await press(page, "All");
    await page.getByRole("button", { name: "Delete Preview" }).click();
    await dialog.getByRole("textbox").fill("preview");
    await dialog.getByRole("button", { name: "Delete environment" }).click();
    await dialog
      .getByText(/in use|Feature|feature/)
      .first()
      .waitFor(); // what inherits from it is named
    expect(pageErrors.filter((error) => !error.includes("409"))).toEqual([]);
  });
});

describe("webhook subscriptions", () => {
  it("are created with a filter that the service checks, tested, disabled and deleted", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "webhook-subscriptions");
    await page.getByText("No webhook subscriptions yet").waitFor();
    await press(page, "Create subscription");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill(url);
    await dialog.getByLabel("run.completed", { exact: true }).check();
    const filter = dialog.getByLabel("Filter", { exact: true });
    await writeCode(filter, 'event.data.tags.team == "billing');
    await dialog.getByRole("button", { name: "Create subscription" }).click();
    await expect.poll(() => filter.getAttribute("aria-invalid"), { timeout: 60_000 }).toBe("true");
    await writeCode(filter, 'event.data.tags.team == "billing"');
    await pictureOf(page, "webhook-subscription-dialog");
    await dialog.getByRole("button", { name: "Create subscription" }).click();
    const row = page.getByRole("grid", { name: "Webhook subscriptions" }).getByRole("row").filter({ hasText: url });
    await row.getByText("Enabled").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await row.getByRole("button", { name: `Test ${url}` }).click();
    await dialog.getByRole("button", { name: "Send test event" }).click();
    await dialog.getByText("HTTP 200").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByText("Close", { exact: true }).click();
    await row.getByRole("button", { name: `Disable ${url}` }).click();
    await row.getByText("Disabled").waitFor();
    await row.getByRole("button", { name: `Delete ${url}` }).click();
    await dialog.getByRole("button", { name: "Delete subscription" }).click();
    await page.getByText("No webhook subscriptions yet").waitFor();
    expect(pageErrors.filter((error) => !error.includes("422"))).toEqual([]);
  });
});

describe("event sources", () => {
  it("show their secret once, and try the filter of a subscription while it is typed", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "event-sources");
    await press(page, "Create event source");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Shop");
    await dialog.getByLabel("Webhook signature").selectOption("github");
    await dialog.getByRole("button", { name: "Create event source" }).click();
    await dialog.getByText("It is shown only once.").waitFor();
    await dialog.getByLabel("I stored it").check();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();

    await page.getByRole("button", { name: "Add subscription" }).click();
    await dialog.getByLabel("Target").selectOption({ label: "Send receipt" });
    await writeCode(dialog.getByLabel("Sample event"), '{"type": "paid", "payload": {"total": 20}}');
    const filter = dialog.getByLabel("Filter", { exact: true });
    await writeCode(filter, "payload.total > 100.0");
    const result = dialog.getByRole("region", { name: "Result" });
    await result.getByText("Does not match").waitFor();
    await writeCode(filter, "payload.");
    await filter.press("End");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: "total" }).click();
    await page.keyboard.type(" > 10.0");
    await result.getByText("Matches", { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "event-subscription-dialog");
    await dialog.getByRole("button", { name: "Add subscription" }).click();
    await page.getByRole("list", { name: "Subscriptions" }).getByText("payload.total > 10.0").waitFor();

    await page.getByRole("tab", { name: "Test" }).click();
    await writeCode(page.getByLabel("Event", { exact: true }), '{"type": "paid", "payload": {"total": 30}}');
    await page.getByRole("region", { name: "Result" }).getByText("1 run would start").waitFor();
    await pictureOf(page, "event-source-test");
    await press(page, "Dispatch event");
    await page.getByText("Dispatched: 1 run started").waitFor();
    await page.getByRole("tab", { name: "Received events" }).click();
    await page.getByRole("list", { name: "Events" }).getByText("1 started").click();
    await page.getByRole("dialog", { name: "paid" }).getByRole("button", { name: "Replay event" }).click();
    await page.getByText("Replayed: 1 run started").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

describe("schedules", () => {
  it("are created, shown in a calendar, run, backfilled after a preview, and deleted", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ size: { width: 1024, height: 768 } });
    await go(project, "schedules");
    await press(page, "Create schedule");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Target").selectOption({ label: "Send receipt" });
    await dialog.getByLabel("Name").fill("Nightly");
    await dialog.getByLabel("Cron").fill("0 3 * * *");
    await writeCode(dialog.getByLabel("Payload", { exact: true }), '{"n": 1}');
    await dialog.getByRole("button", { name: "Create schedule" }).click();
    const row = page.getByRole("grid", { name: "Schedules" }).getByRole("row").filter({ hasText: "Nightly" });
    await row.getByRole("button", { name: "Run Nightly now" }).click();
    await page.getByText("Run started").waitFor();
    await press(page, "Calendar");
    await page.getByRole("region", { name: "Calendar" }).getByText("Nightly").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await pictureOf(page, "schedules-calendar");
    await row.getByRole("button", { name: "Backfill Nightly" }).click();
    await dialog.getByRole("button", { name: "Preview backfill" }).click();
    await dialog.getByRole("list", { name: "Fire times" }).getByRole("listitem").first().waitFor();
    await dialog.getByRole("button", { name: "Start 1 run" }).click();
    await page.getByText("Backfill of 1 run started").waitFor();
    await row.getByRole("button", { name: "Delete Nightly" }).click();
    await dialog.getByRole("button", { name: "Delete schedule" }).click();
    await page.getByText("No schedules yet").waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("log drains and project settings", () => {
  it(
    "a drain is created and tested; the project is renamed, its policy previewed, its secret rotated",
    TIMEOUT,
    async () => {
      const { page, go, pageErrors } = await dashboard.signedIn();
      await go(project, "log-drains");
      await press(page, "Create log drain");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Destination").selectOption({ label: "Logs to Grafana Loki" });
      await dialog.getByLabel("Name").fill("Loki");
      await dialog.getByLabel("URL").fill(url);
      await dialog.getByLabel("Authentication").selectOption({ label: "Bearer token" });
      await dialog.getByLabel("Token").fill("s3cret");
      await dialog.getByRole("button", { name: "Create log drain" }).click();
      await page.getByRole("button", { name: "Test Loki" }).click();
      await dialog.getByRole("button", { name: "Send test record" }).click();
      await dialog.getByText("HTTP 200").waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await dialog.getByText("Close", { exact: true }).click();

      await go(project, "project-settings");
      await page.getByLabel("Description").fill("Receipts and orders");
      await press(page, "Save project");
      await page.getByText("Project saved").waitFor();
      await pictureOf(page, "project-settings");
      await page.getByRole("tab", { name: "Workflow policy" }).click();
      await page.getByLabel("Max. steps").fill("3");
      await press(page, "Preview violations");
      await page.getByText(/would violate the policy/).waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole("tab", { name: "Signing secret" }).click();
      await press(page, "Rotate signing secret");
      await dialog.getByRole("button", { name: "Rotate secret" }).click();
      await page
        .getByRole("dialog", { name: "New signing secret" })
        .getByText(/^whsec_/)
        .waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      expect(pageErrors).toEqual([]);
    },
  );
});
