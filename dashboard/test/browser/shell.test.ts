import type { Locator, Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { INTERNAL_SECRET, type TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
}, 300_000);

const TIMEOUT = { timeout: 180_000 * SLOWNESS };

describe("sign-in", () => {
  it("accepts the internal secret, explains a wrong one and continues at the URL", TIMEOUT, async () => {
    const { page, pageErrors } = await dashboard.anonymous();
    await page.goto(`/p/${project.slug}/staging/runs?q=is:live&later=1`);
    const field = page.getByLabel("API key or internal secret");
    await field.fill("svc_wrong");
    await page.getByText("Recognized as an API key.").waitFor();
    await field.press("Enter");
    await page.getByRole("alert").getByText("Sign-in failed").waitFor();
    await field.fill(INTERNAL_SECRET);
    await field.press("Enter");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/p/${project.slug}/staging/runs`);
    expect(new URL(page.url()).searchParams.get("later")).toBe("1");
    expect(pageErrors.filter((error) => !error.includes("401"))).toEqual([]);
    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
  });
});

describe("shell", () => {
  it("opens the project, switches environments, opens the command menu and keeps the theme", TIMEOUT, async () => {
    const { page, pageErrors } = await dashboard.signedIn();
    await page.goto("/");
    await page.waitForURL(/\/production\/home\?since=1h$/); // a new project shows the last hour, by the minute
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await pressInSequence(page, "g", "r");
    await page.waitForURL("**/production/runs");
    await page.getByRole("button", { name: "Environment: Production" }).click();
    await page.getByRole("menuitem", { name: "Staging" }).click();
    await page.waitForURL("**/staging/runs");
    await page.getByRole("button", { name: "Environment: Staging" }).waitFor();
    await page.keyboard.press("Control+k");
    await menuField(page).fill("api k");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await pressInSequence(page, "g", "r");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    const dark = page.locator("html[data-theme=dark]");
    await dark.waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await dark.waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("explains missing pages and missing scopes", TIMEOUT, async () => {
    const narrow = await project.newKey({ scopes: ["runs:read"] });
    const { page, go } = await dashboard.signedIn({ key: narrow.key });
    await go(project, "nothing");
    await page.getByText("Page not found").waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Runs", exact: true }).waitFor();
    await go(project, "api-keys");
    await page.getByText("You don't have access to “API keys”").waitFor();
  });

  it("explains missing projects, environments and objects and links to existing ones", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go({ slug: "gone" }, "runs");
    await page.getByText("Project “gone” not found").waitFor();
    await go(project, "jobs/gone", "gone");
    await page.getByText("Environment “gone” not found").waitFor();
    await page.getByRole("link", { name: "Staging" }).click();
    await page.getByText("Job not found").waitFor();
    await page.getByRole("link", { name: "View all jobs" }).click();
    await page.waitForURL("**/staging/jobs");
  });

  it("finds jobs by name and objects by id, and searches runs for anything else", TIMEOUT, async () => {
    const create = (name: string) => project.api.post("/v1/jobs", { name, endpoint_url: "https://example.com/x" });
    const job = await create("Send receipt");
    await Promise.all(Array.from({ length: 101 }, (_, nth) => create(`Newer ${nth}`))); // more than one page
    const { page, go } = await dashboard.signedIn();
    // Names load after the text is typed: Enter opens what is highlighted then.
    const namesLate = async (route: Route) => {
      await page.getByRole("option", { name: /^Search run ids/, selected: true }).waitFor();
      await route.continue();
    };
    await page.route(/\/v1\/jobs\?.*limit=100/, namesLate, { times: 1 });
    await go(project, "home");
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await ask(page, "receipt");
    await page.getByRole("option", { name: "Send receipt", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/jobs/${job.body.id}`);
    await go(project, "home");
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    await ask(page, "");
    await page.keyboard.type("receipt");
    await page.getByRole("option", { name: "Send receipt", selected: true }).waitFor();
    await menuField(page).fill("newer 7");
    await page.getByRole("option", { name: "Newer 7 newer-7", selected: true }).waitFor();
    await menuField(page).fill(job.body.id);
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/jobs/${job.body.id}`);
    await ask(page, "0198a7c2-1f3e-7b20-9f4b-5d1c2e3f4a5b");
    await page.keyboard.press("Enter");
    await page.getByText("No object with this id").waitFor();
    await page.route("**/v1/runs/*", (route) => route.fulfill({ status: 503, json: {} }));
    await ask(page, "0198a7c2-1f3e-7b20-9f4b-5d1c2e3f4a5c");
    await page.keyboard.press("Enter");
    await page.getByText("The service responded with HTTP 503").waitFor();
    await ask(page, "connection refused");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === '"connection refused"');
  });

  it("opens the key's own project, although the sign-in page offered the demo", TIMEOUT, async () => {
    const narrow = await project.newKey({ scopes: ["runs:read"] });
    const { page } = await dashboard.anonymous();
    const demo = { project: { id: "x", slug: "demo", name: "Demo" }, waiting: null };
    await page.route("**/demo", (route) => route.fulfill({ json: demo }));
    await page.goto("/");
    const field = page.getByLabel("API key or internal secret");
    await field.fill(narrow.key);
    await field.press("Enter");
    await page.waitForURL(`**/p/${project.id}/production/home`);
  });

  it("shows a focus ring on tabs for the keyboard, not for clicks", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "access");
    const [members, policies] = ["Members", "Policies"].map((name) => page.getByRole("tab", { name })) as [
      Locator,
      Locator,
    ];
    const ring = (tab: Locator) => tab.evaluate((node) => getComputedStyle(node).outlineStyle);
    await members.click();
    await page.waitForURL("**/access?tab=members");
    expect(await ring(members)).toBe("none");
    await page.keyboard.press("ArrowRight");
    await page.waitForURL("**/access?tab=policies");
    expect(await ring(policies)).toBe("solid");
  });

  it("explains a page that fails to load and loads it when the service is back", TIMEOUT, async () => {
    const { page, context, go } = await dashboard.signedIn();
    await go(project, "runs");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("This page could not be loaded").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("This page could not be loaded").waitFor();
    await context.setOffline(false);
    await page.getByRole("heading", { name: "Audit log", exact: true }).waitFor();
  });

  it("shows a failed change once, in its dialog", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    const { id } = await project.newKey({ name: "Gone meanwhile" });
    await go(project, "api-keys");
    await page.getByRole("button", { name: "Revoke Gone meanwhile" }).click();
    await page.route(`**/v1/api-keys/${id}`, (route) => route.abort());
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Revoke key" }).click();
    await dialog.getByRole("alert").getByText("The service is not responding").waitFor();
    expect(await page.getByText("The service is not responding").count()).toBe(1);
  });

  it("shows a key once and leaves no copy in the page", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "api-keys");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByLabel("Name").fill("From the page");
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = await page.locator("[data-secret]").innerText();
    expect(secret).toMatch(/^svc_/);
    expect((await dashboard.world.as(secret).get("/v1/me")).status).toBe(200);
    await page.getByLabel("I stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.locator("[data-secret]").waitFor({ state: "detached" });
    await page.getByText("From the page").waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await page.evaluate("JSON.stringify(localStorage) + JSON.stringify(sessionStorage)")).not.toContain(secret);
    expect(pageErrors).toEqual([]);
  });
});

/** `npm run test:soak -- dashboard` checks every page in both themes; these use different components. */
describe("axe", () => {
  it("finds nothing serious on the sign-in page, in a form and in a list", TIMEOUT, async () => {
    const nobody = await dashboard.anonymous();
    await nobody.page.goto("/");
    await nobody.page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
    expect(await seriousFindings(nobody.page)).toEqual([]);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "api-keys");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByLabel("Name").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it("finds nothing serious in any component, in the dark theme", { timeout: 120_000 }, async () => {
    const { page, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await page.goto("/gallery");
    await page.locator(".react-flow__node").first().waitFor();
    await page.locator(".uplot canvas").first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors).toEqual([]);
  });
});

async function ask(page: Page, text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await menuField(page).fill(text);
}

function menuField(page: Page): Locator {
  return page.getByPlaceholder("Search, run a command, or paste an id");
}

/** Presses keys back to back, without waiting for the browser to acknowledge each. */
async function pressInSequence(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}
