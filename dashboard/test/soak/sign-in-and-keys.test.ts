import { beforeAll, describe, expect, it } from "vitest";
import { newSignInCode } from "../../../server/src/platform/access/credentials/session-store.ts";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { buildDocs } from "../../../tools/build-docs.mjs";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { overflow } from "./settled-page.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  [dashboard] = await Promise.all([openDashboard(), buildDocs()]);
  project = await dashboard.world.project({ name: "Acme shop" });
}, 240_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

describe("sign-in", () => {
  it("a one-time link signs in once and leaves no code in the URL", TIMEOUT, async () => {
    const code = await newSignInCode(dashboard.world.ctx);
    const { page } = await dashboard.anonymous();
    await page.goto(`/?code=${code}`);
    await page.waitForURL(/\/production\/home\?since=1h$/); // a new project shows the last hour, by the minute
    expect(page.url()).not.toContain(code);
    const other = await dashboard.anonymous();
    await other.page.goto(`/?code=${code}`);
    await other.page.getByText("This sign-in link was already used or has expired.").waitFor();
    expect(other.page.url()).not.toContain(code);
    await other.page.getByLabel("API key or internal secret").fill(project.key);
    await other.page.keyboard.press("Enter");
    await other.page.getByRole("heading", { name: "Home", exact: true }).waitFor();
  });
});

describe("API keys", () => {
  it("a secret is transferred once and stored nowhere", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    const bodies: string[] = [];
    page.on("response", async (response) => {
      if (response.url().includes("/v1/api-keys")) bodies.push(await response.text().catch(() => ""));
    });
    await go(project, "api-keys");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByLabel("Name").fill("Once");
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = await page.locator("[data-secret]").innerText();
    await page.keyboard.press("Escape"); // the dialog stays open until the user confirms
    await page.locator("[data-secret]").waitFor();
    await page.getByLabel("I stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("grid", { name: "API keys" }).getByText("Once").waitFor();
    await page.reload();
    await page.getByRole("grid", { name: "API keys" }).getByText("Once").waitFor();
    expect(bodies.filter((body) => body.includes(secret))).toHaveLength(1);
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toContain(secret);
    expect(pageErrors).toEqual([]);
  });

  it("shows an expired key as expired", TIMEOUT, async () => {
    const { id } = await project.newKey({ name: "Of last year" });
    await runSql(
      dashboard.world.connection,
      "update api_keys set expires_at = clock() - interval '1 day' where project_id = $1 and id = $2",
      [project.id, id],
    );
    const { page, go } = await dashboard.signedIn();
    await go(project, "api-keys");
    const row = page.getByRole("grid", { name: "API keys" }).getByRole("row").filter({ hasText: "Of last year" });
    await row.getByText("Expired").waitFor();
  });
});

describe("API reference", () => {
  it("opens from the command menu without requests to other origins", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "runs");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Search, run a command, or paste an id").fill("api reference");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/api");
    await page.locator(".operations").first().waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe("not found", () => {
  it("is shown for missing pages and objects of each kind; missing scopes are explained", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "nothing");
    await page.getByText("Page not found").waitFor();
    const nobody = "0199d0c2-7a00-7000-8000-0000000000ff";
    for (const kind of ["runs", "jobs", "workflows", "workflow-runs", "batch-operations", "webhook-deliveries"]) {
      await go(project, `${kind}/${nobody}`);
      await page.getByRole("main").getByText("not found").waitFor();
      await page.getByRole("link", { name: `View all ${kind.replaceAll("-", " ")}` }).waitFor();
    }
    const narrow = await project.newKey({ scopes: ["runs:read"] });
    const few = await dashboard.signedIn({ key: narrow.key });
    await few.go(project, "jobs");
    await few.page.getByText("You don't have access to “Jobs”").waitFor();
  });
});

describe("on a phone", () => {
  it("scrolls the selected tab into view", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn({ size: { width: 390, height: 844 } });
    for (const path of ["analytics?tab=compute", "analytics?tab=webhooks"]) {
      await go(project, path);
      const tab = page.getByRole("tab", { selected: true });
      await tab.waitFor();
      const box = await tab.boundingBox();
      expect([path, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 999) <= 390]).toEqual([path, true, true]);
      expect([path, await overflow(page)]).toEqual([path, { by: 0, who: "" }]);
    }
  });
});
