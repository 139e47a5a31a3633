import { beforeAll, describe, expect, it } from "vitest";
import { fromBase32, totpAt } from "../../../server/src/platform/access/accounts/totp.ts";
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
    await page.getByRole("button", { name: "Withdraw the invitation for grace@example.com" }).click();
    await page.getByText("Invitation for grace@example.com withdrawn").waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("menuitem", { name: "Account" }).click();
    await page.getByRole("region", { name: "Sessions" }).getByText("This browser").waitFor();
    await page.getByRole("button", { name: "Create personal key" }).click();
    await page.getByLabel("Name").fill("Laptop");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("I stored it").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Revoke Laptop" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.goBack();
    await page.getByRole("button", { name: "Transfer" }).waitFor();
    await page.getByRole("button", { name: /^More about/ }).click();
    await page.getByRole("menuitem", { name: "Personal keys" }).click();
    await page.getByRole("button", { name: "Revoke Laptop" }).click();
    await page.getByText("There are no personal keys.").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("button", { name: /^More about/ }).click();
    await page.getByRole("menuitem", { name: "Sessions" }).click();
    await page.getByRole("button", { name: "End session" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    provider.state.groups = [];
    await dashboard.world.clock.pass("6s");
    await page.reload();
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
  });
});

describe("a local account", () => {
  it("A15 A16 A19 is created from an invitation, enables codes, and transfers the admin role", TIMEOUT, async () => {
    const { world } = dashboard;
    const shop = await world.project({ name: "Handed over" });
    await shop.api.post("/v1/members", { subject: "grace", role_id: "viewer", name: "Grace" });
    const invitation = { email: "ada@example.com", role_id: "admin" };
    const { body } = await shop.api.post("/v1/members/invitations", invitation);
    const { page } = await dashboard.anonymous();
    await page.goto(body.url);
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Accept and sign in" }).click();
    await page.waitForURL(`${world.url}/p/**`);

    await page.goto(`${world.url}/p/${shop.slug}/production/account`);
    await page.getByRole("button", { name: "Enable two-factor codes" }).click();
    const dialog = page.getByRole("dialog");
    const secret = await dialog.getByLabel("Secret").inputValue();
    await dialog.getByLabel("Current password").fill("correct horse battery");
    const code = totpAt(fromBase32(secret), Math.floor(world.ctx.watch.nowMs() / 30_000));
    await dialog.getByLabel("Code from the authenticator app").fill(code);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Enable codes" }).click();
    await page.getByRole("button", { name: "Disable two-factor codes" }).waitFor();

    await page.goto(`${world.url}/p/${shop.slug}/production/access?tab=members`);
    await page.getByRole("button", { name: "Transfer" }).click();
    await dialog.getByLabel("Your new role").selectOption("viewer");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Transfer" }).click();
    await page.getByRole("button", { name: "Transfer" }).waitFor({ state: "detached" });
    const { data } = (await shop.api.get("/v1/members?order=asc")).body;
    expect(data.map(({ role_name }: { role_name: string }) => role_name)).toEqual(["admin", "viewer"]);

    const link = (await world.admin.post("/v1/account/reset-link", { email: "ada@example.com" })).body.url;
    await page.goto(link);
    await page.getByRole("heading", { name: "Set a new password" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel("Password").fill("a new long password");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor();
    await page.getByText("Sign in with e-mail and password").click();
    await page.getByLabel("E-mail address").fill("ada@example.com");
    await page.getByLabel("Password").fill("a new long password");
    await page.getByRole("button", { name: "Sign in with password" }).click();
    await page.getByRole("heading", { name: "Sign in to Millrace" }).waitFor({ state: "detached" });
  });
});
