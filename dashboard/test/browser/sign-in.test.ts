import { beforeAll, describe, expect, it } from "vitest";
import { realProvider } from "../../../server/test/outside/real-provider.ts";
import { makeWorld, type TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
let provider: Awaited<ReturnType<typeof realProvider>>;
beforeAll(async () => {
  // Another site for the browser, as providers are: cookies of the sign-in must survive that.
  provider = await realProvider("certified", "localhost");
  const world = await makeWorld({
    config: { sign_in: { providers: [provider.settings], rules: [], recheck_secs: 5 } },
  });
  provider.open(`${world.url}/v1/sign-in/certified/callback`);
  dashboard = await openDashboard(world);
  project = await world.project({ name: "Acme shop" });
  world.ctx.config.sign_in.rules.push({ group: "operators", project: project.id, role: "admin" });
}, 300_000);

const TIMEOUT = { timeout: 240_000 * SLOWNESS };

describe("sign-in with an identity provider", () => {
  it("A13 A14 returns to the page, shows the member, and ends when the group is removed", TIMEOUT, async () => {
    const { page } = await dashboard.anonymous();
    await page.goto(`/p/${project.slug}/production/access?tab=members`);
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: /certified/ }).click();
    await page.waitForURL(/^http:\/\/localhost:/);
    await page.locator("input[name=login]").fill("ada");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${dashboard.world.url}/p/${project.slug}/production/access?tab=members`);
    const members = page.getByRole("region", { name: "Members" });
    await members.getByText("Role by sign-in rule").waitFor();
    await page.getByRole("button", { name: "Leave project" }).waitFor();

    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByLabel("E-mail address").fill("grace@example.com");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByLabel("Link").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Withdraw the invitation of grace@example.com" }).click();
    await page.getByText("The invitation of grace@example.com was withdrawn").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    provider.state.groups = [];
    await dashboard.world.clock.pass("6s");
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
  });
});
