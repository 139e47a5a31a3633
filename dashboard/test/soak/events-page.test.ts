import { beforeAll, describe, expect, it } from "vitest";
import { seedTrigger } from "../../../server/test/seed-trigger.ts";
import { waitingRun } from "../../../server/test/waiting-run.ts";
import type { TestProject } from "../../../server/test/world.ts";
import { keyFault } from "../../src/pages/events/check-key.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard } from "../open-dashboard.ts";

let dashboard: Dashboard;
let project: TestProject;
beforeAll(async () => {
  dashboard = await openDashboard();
  project = await dashboard.world.project({ name: "Acme shop", max_active_event_triggers: 50 });
  for (const event_key of ["order-1.paid", "order-2.paid", "refund-1"])
    await waitingRun(dashboard.world, project, { event_key });
  await seedTrigger(dashboard.world.connection, project.id, { event_key: "soon", timeout_secs: 90 });
  await seedTrigger(dashboard.world.connection, project.id, {
    event_key: "old",
    status: "received",
    ended_days_ago: 40,
  });
}, 180_000);

const PATIENCE = { timeout: 60_000 };

describe("events", () => {
  it("lists what waits, the soonest first, with counts, countdowns and the quota", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn();
    await go(project, "events");
    const rows = page.getByRole("grid", { name: "Events" }).getByRole("row");
    await rows.filter({ hasText: "refund-1" }).waitFor();
    expect(await rows.nth(1).innerText()).toContain("soon");
    await rows.nth(1).getByRole("timer").waitFor();
    await page.getByRole("button", { name: "Waiting 4" }).waitFor();
    await page.getByText("4 of 50").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Received 1" }).click();
    await rows.filter({ hasText: "old" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("shows who would receive an event by prefix before it is sent, and sends to just those", PATIENCE, async () => {
    const { page, go, faults } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "events");
    await page.getByRole("button", { name: "Send event" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "To all that begin with" }).click();
    await dialog.getByLabel("Beginning of the key").fill("order-");
    await dialog.getByRole("button", { name: "Show who would receive it" }).click();
    const preview = dialog.getByRole("region", { name: "Who would receive it" });
    await preview.getByText("2 waits would receive it").waitFor();
    expect(await preview.getByRole("listitem").allInnerTexts()).toEqual(["order-1.paid", "order-2.paid"]);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send to 2 waits" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/order-1.paid")).body.status).toBe("received");
    expect((await project.api.get("/v1/events/refund-1")).body.status).toBe("waiting");
    await page.getByRole("button", { name: "Waiting 2" }).waitFor();
    expect(faults).toEqual([]);
  });

  it("says what the end of a wait brings before it is canceled", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "events?key=refund");
    await page.getByRole("grid", { name: "Events" }).getByRole("row").nth(1).click();
    await page.getByRole("button", { name: "Cancel wait" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The run that waits ends as canceled").waitFor();
    await dialog.getByRole("button", { name: "Cancel wait" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/refund-1")).body.status).toBe("canceled");
  });

  it("purges only after a dry run, and after the number was typed", PATIENCE, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "events");
    await page.getByRole("button", { name: "Purge what has ended" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Count them" }).click();
    const remove = dialog.getByRole("button", { name: "Delete 1 event" });
    await remove.waitFor();
    expect(await remove.getAttribute("aria-disabled")).toBe("true");
    expect((await project.api.get("/v1/events/old")).status).toBe(200);
    await dialog.getByLabel("Type 1 to go on").fill("1");
    await remove.click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/old")).status).toBe(404);
  });

  it("tells where a key stops being one", () => {
    expect(keyFault("x".repeat(512))).toBeUndefined();
    expect(keyFault("x".repeat(513))).toContain("byte 512");
    expect(keyFault("ä\u0007")).toContain("byte 2");
    expect(keyFault("")).toContain("at least one");
  });
});
