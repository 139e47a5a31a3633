import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import type { TestProject } from "../../../server/test/world/world.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop" });
  const role = async (name: string, parent: string, permissions: string[]) =>
    (await project.api.post("/v1/roles", { name, parent_role_id: parent, permissions })).body.id as string;
  await role("on call", await role("team lead", "operator", ["usage:write"]), ["access:read"]);
  await project.api.post("/v1/members", { subject: "joan@example.com", name: "Joan Clarke", role_id: "on call" });
}, 240_000);

const TIMEOUT = { timeout: 120_000 * SLOWNESS };
const SLOW = { timeout: 20_000 };
const roleNamed = async (name: string) =>
  (await project.api.get("/v1/roles?limit=100")).body.data.find((each: { name: string }) => each.name === name);

describe("access", () => {
  it("edits the scopes, parent and description of a role", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "access?role=on call");
    await page.getByText("via team lead → operator").first().waitFor();
    await page.getByRole("button", { name: "Edit role" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("inherited from the parent").waitFor();
    await dialog.getByLabel("Description").fill("At night");
    await dialog.getByLabel("Parent").selectOption({ label: "viewer" });
    await dialog.getByLabel("audit:write", { exact: true }).check();
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save role" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("via viewer").first().waitFor();
    const changed = await roleNamed("on call");
    expect(changed).toMatchObject({ description: "At night", parent_role_id: (await roleNamed("viewer")).id });
    expect(changed.permissions.toSorted()).toEqual(["access:read", "audit:write"]);
    await project.api.patch(`/v1/roles/${changed.id}`, { parent_role_id: "team lead" });
    expect(pageErrors).toEqual([]);
  });

  it("rejects a parent that would create a cycle, with the reason and a page about the error", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    const before = await roleNamed("team lead");
    await go(project, "access?role=team lead");
    await page.getByRole("button", { name: "Edit role" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Parent").selectOption({ label: "on call" });
    await dialog.getByRole("button", { name: "Save role" }).click();
    const about = dialog.getByRole("alert").getByRole("link", { name: "About this error" });
    expect(await about.getAttribute("href")).toBe("/docs/errors/validation_failed");
    expect((await roleNamed("team lead")).parent_role_id).toBe(before.parent_role_id);
  });

  it("creates and deletes a role; built-in roles cannot be changed", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "access?role=viewer");
    await expect
      .poll(() => page.getByRole("button", { name: "Edit role" }).getAttribute("aria-disabled"), SLOW)
      .toBe("true");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("auditor");
    await page.getByRole("dialog").getByLabel("audit:read", { exact: true }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Create role" }).click();
    await page.getByRole("heading", { name: "auditor" }).waitFor();
    expect((await roleNamed("auditor")).permissions).toEqual(["audit:read"]);
    await page.getByRole("button", { name: "Delete role" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete role" }).click();
    await expect.poll(() => roleNamed("auditor"), SLOW).toBeUndefined();
  });

  it("creates, edits and deletes policies on objects and on tags", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "access?tab=policies");
    for (const tag of [false, true]) {
      await page.getByRole("button", { name: "Create policy" }).click();
      const dialog = page.getByRole("dialog");
      if (tag) await dialog.getByRole("button", { name: "Objects with a tag" }).click();
      await dialog.getByLabel("Subject").fill("role:viewer");
      await dialog.getByLabel("Actions").fill("jobs:trigger, runs:write");
      if (tag) await dialog.getByLabel("Tag").fill("team");
      await dialog.getByRole("button", { name: "Create policy" }).click();
      await dialog.waitFor({ state: "detached" });
      const row = page.getByRole("region", { name: "Policies" }).getByRole("listitem").last();
      if (tag) await row.getByText("tag team").waitFor(); // until then the last one is the previous policy
      await row.getByText("jobs:trigger, runs:write").waitFor();
      await row.getByRole("button", { name: "Edit policy" }).click();
      await dialog.getByLabel("Description").fill("Nobody by mistake");
      await dialog.getByRole("button", { name: "Save policy" }).click();
      await row.getByText("Nobody by mistake").waitFor();
      const { body } = await project.api.get(tag ? "/v1/tag-policies" : "/v1/resource-policies");
      expect(body.data).toMatchObject([{ effect: "deny", description: "Nobody by mistake" }]);
    }
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete policy" }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete policy" }).click();
    await expect.poll(async () => (await project.api.get("/v1/tag-policies")).body.data.length, SLOW).toBe(0);
    const [left] = (await project.api.get("/v1/resource-policies")).body.data;
    await project.api.delete(`/v1/resource-policies/${left.id}`);
    expect(pageErrors).toEqual([]);
  });

  it("imports members from CSV with a result per line and keeps rejected lines for fixing", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "access?tab=members");
    await page.getByRole("button", { name: "Assign members" }).click();
    const text =
      'subject,role,name\nnew@example.com,operator,"One, New"\nbad@example.com,no-such-role,\njoan@example.com,viewer\n';
    await page
      .getByLabel("CSV file")
      .setInputFiles({ name: "members.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "Assign 3 members" }).click();
    const results = page.getByRole("list", { name: "Results" }).getByRole("listitem");
    await expect.poll(() => results.count(), SLOW).toBe(3);
    expect((await results.allInnerTexts()).map((line) => line.split(/\s/)[0])).toEqual([
      "created",
      "failed",
      "updated",
    ]);
    const { body } = await project.api.get("/v1/members?limit=100");
    expect(body.data.find(({ subject }: { subject: string }) => subject === "new@example.com").name).toBe("One, New");
    await page.getByRole("button", { name: "Keep only rejected lines" }).click();
    expect(await page.getByLabel("Subjects").innerText()).toBe("bad@example.com,no-such-role,");
  });

  it("the access check matches real requests in twenty cases", { timeout: 240_000 }, async () => {
    const { page, go } = await dashboard.signedIn();
    const scopes = [["runs:read"], ["jobs:read", "events:read"], ["workflows:read", "audit:read"], ["access:read"]];
    const requested: [scope: string, path: string][] = [
      ["runs:read", "/v1/runs"],
      ["jobs:read", "/v1/jobs"],
      ["workflows:read", "/v1/workflows"],
      ["events:read", "/v1/events"],
      ["access:read", "/v1/roles"],
    ];
    for (const granted of scopes) {
      const key = await project.newKey({ scopes: granted });
      await go(project, `access?tab=check&who=api_key:${key.id}`);
      for (const [scope, path] of requested) {
        const { status } = await key.api.get(path);
        await page.getByLabel("Action", { exact: true }).selectOption(scope);
        await page.getByRole("button", { name: "Check access" }).click();
        const response = page.getByRole("status").filter({ hasText: "Decided by" });
        const { body } = await project.api.post("/v1/access/check", { subject: `api_key:${key.id}`, action: scope });
        await response.getByText(body.reason, { exact: true }).waitFor();
        const word = status === 200 ? "Allowed" : "Denied";
        expect([granted, scope, status, await response.getByText(word, { exact: true }).count()]).toEqual([
          granted,
          scope,
          granted.includes(scope) ? 200 : 403,
          1,
        ]);
      }
    }
  });
});

describe("system health", () => {
  it("shows version, database, queue, dispatches, the reconciliation leader and diagnostics", TIMEOUT, async () => {
    const { world } = dashboard;
    await world.tick("register-instance");
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "system-health");
    const { body } = await world.admin.get("/v1/system");
    await page.getByText(body.version, { exact: true }).first().waitFor();
    for (const name of ["Database size", "Queue depth", "Last reconciliation", "Active dispatches", "Dequeue p95"])
      await page.getByText(name, { exact: true }).waitFor();
    await page
      .getByText(`PostgreSQL ${body.database.version.split(" ")[0]}`, { exact: false })
      .first()
      .waitFor();
    const doctor = page.getByRole("region", { name: "Diagnostics" }).getByRole("listitem");
    await expect.poll(() => doctor.count(), SLOW).toBe(body.findings.length);
    await page.getByRole("region", { name: "Instances", exact: true }).getByText("this instance").waitFor();
    world.ctx.state.taskDueAt.set("slow-task", performance.now() - 61_000);
    await page.getByRole("button", { name: "Refresh" }).click();
    await doctor.first().getByText("stuck: slow-task").waitFor();
    world.ctx.state.taskDueAt.clear();
    expect(await seriousFindings(page)).toEqual([]);
    expect(pageErrors.filter((error) => !error.includes("503"))).toEqual([]);
  });

  it("downloads a support bundle without ids, hosts or secrets", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "system-health");
    await page.getByRole("region", { name: "Instances", exact: true }).getByText("this instance").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Support bundle" }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    expect(JSON.parse(text)).toMatchObject({ system: { version: expect.any(String) }, readiness: { ready: true } });
    expect(text).toContain("svc_worker_pool_active");
    expect(text).not.toContain(`${hostname()}:`);
    expect(text).not.toContain(new URL(page.url()).host);
    expect(text).not.toContain(project.id);
    expect(text).not.toMatch(/(project|job)=\\"(?!other|project-|job-)/);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/);
    expect(text).not.toMatch(/svc_[0-9A-Za-z]{20,}|whsec_/);
  });

  it("shows only readiness to API keys", TIMEOUT, async () => {
    const { page, go, requests } = await dashboard.signedIn({ key: project.key });
    await go(project, "system-health");
    await page.getByText("Ready", { exact: true }).waitFor();
    await page.getByText(/Sign in with the internal secret/).waitFor();
    expect(await page.getByRole("button", { name: "Support bundle" }).getAttribute("aria-disabled")).toBe("true");
    expect(requests.filter((requested) => requested.includes("/v1/system"))).toEqual([]);
  });
});
