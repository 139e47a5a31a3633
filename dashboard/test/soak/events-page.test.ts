import type { EventTrigger } from "@millrace/contract/events/events";
import { beforeAll, describe, expect, it } from "vitest";
import { encryptHeaders } from "../../../server/test/seed/running-run.ts";
import { seedTrigger } from "../../../server/test/seed/seed-trigger.ts";
import { waitingRun } from "../../../server/test/seed/waiting-run.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { keyIssue } from "../../src/pages/events/check-key.ts";
import { percentileOf, receiveSteps } from "../../src/pages/events/receive-times.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";

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

const TIMEOUT = { timeout: 120_000 * SLOWNESS };

describe("events", () => {
  it("lists waits by expiry with counts, countdowns and the quota", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn();
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
    expect(pageErrors).toEqual([]);
  });

  it("sorts by expiry across pages, and Home links to the next to expire", TIMEOUT, async () => {
    const busy = await dashboard.world.project();
    await seedTrigger(dashboard.world.connection, busy.id, { event_key: "oldest", timeout_secs: 900 });
    for (let nth = 0; nth < 120; nth++)
      await seedTrigger(dashboard.world.connection, busy.id, { event_key: `later-${nth}`, timeout_secs: 90_000 });
    await encryptHeaders(dashboard.world, busy.id);
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(busy, "home");
    const concerns = page.getByRole("region", { name: "Needs attention" });
    await concerns.getByText("oldest").waitFor();
    await concerns.getByRole("link", { name: "Send event" }).click();
    await page.waitForURL(/events\?key=oldest/);
    await go(busy, "events");
    const rows = page.getByRole("grid", { name: "Events" }).getByRole("row");
    await rows.nth(20).waitFor();
    expect(await rows.nth(1).innerText()).toContain("oldest");
    expect(pageErrors).toEqual([]);
  });

  it("previews the recipients of a key prefix and sends only to those", TIMEOUT, async () => {
    const { page, go, pageErrors } = await dashboard.signedIn({ theme: "dark" });
    await go(project, "events");
    await page.getByRole("button", { name: "Send event" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Key prefix" }).click();
    await dialog.getByLabel("Key prefix").fill("order-");
    await dialog.getByRole("button", { name: "Preview recipients" }).click();
    const preview = dialog.getByRole("region", { name: "Recipients" });
    await preview.getByText("2 waits will receive the event").waitFor();
    expect(await preview.getByRole("listitem").allInnerTexts()).toEqual(["order-1.paid", "order-2.paid"]);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Send to 2 waits" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/order-1.paid")).body.status).toBe("received");
    expect((await project.api.get("/v1/events/refund-1")).body.status).toBe("waiting");
    await page.getByRole("button", { name: "Waiting 2" }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it("explains the consequences before canceling a wait", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "events?key=refund");
    await page.getByRole("grid", { name: "Events" }).getByRole("row").nth(1).click();
    await page.getByRole("button", { name: "Cancel wait" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The waiting run is canceled").waitFor();
    await dialog.getByRole("button", { name: "Cancel wait" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/refund-1")).body.status).toBe("canceled");
  });

  it("purges only after a dry run and after typing the count", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await go(project, "events");
    await page.getByRole("button", { name: "Purge finished waits" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Preview" }).click();
    const remove = dialog.getByRole("button", { name: "Delete 1 wait" });
    await remove.waitFor();
    expect(await remove.getAttribute("aria-disabled")).toBe("true");
    expect((await project.api.get("/v1/events/old")).status).toBe(200);
    await dialog.getByLabel("Type 1 to confirm").fill("1");
    await remove.click();
    await dialog.waitFor({ state: "detached" });
    expect((await project.api.get("/v1/events/old")).status).toBe(404);
  });

  it("counts again when the number of days changes", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn();
    await seedTrigger(dashboard.world.connection, project.id, {
      event_key: "older",
      status: "received",
      ended_days_ago: 90,
    });
    await go(project, "events");
    await page.getByRole("button", { name: "Purge finished waits" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByLabel(/^Type \d+ to confirm/).waitFor();
    await dialog.getByRole("spinbutton").fill("60");
    await dialog.getByRole("button", { name: "Preview" }).waitFor();
    expect(await dialog.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
    expect((await project.api.get("/v1/events/older")).status).toBe(200);
  });

  it("shows an invalid key below its field with the byte position", TIMEOUT, async () => {
    const { page, go, requests } = await dashboard.signedIn();
    await go(project, "events");
    await page.getByRole("button", { name: "Send event" }).click();
    const dialog = page.getByRole("dialog");
    const key = dialog.getByLabel("Key", { exact: true });
    await key.fill("ü".repeat(513));
    await dialog.getByText("513 characters, maximum 512. The excess starts at byte 1024.").waitFor();
    expect(await key.getAttribute("aria-invalid")).toBe("true");
    await key.fill("order\u0007");
    await dialog.getByText("Control character at byte 5.").waitFor();
    const send = dialog.getByRole("button", { name: "Send event" });
    expect(await send.getAttribute("aria-disabled")).toBe("true");
    await send.click({ force: true });
    expect(requests.filter((requested) => requested.startsWith("POST"))).toEqual([]);
  });

  it("charts created, received and timed-out waits and the time to receive", TIMEOUT, async () => {
    await waitingRun(dashboard.world, project, { event_key: "quick" });
    await project.api.post("/v1/events/quick/send", { payload: {} });
    await dashboard.world.runUntilIdle();
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "events");
    const charts = page.getByRole("region", { name: "Event charts" });
    const histogram = charts.getByRole("figure", { name: "Wait time" });
    await histogram.getByText(/^p50/).waitFor();
    expect(await histogram.getByRole("listitem").count()).toBeGreaterThan(0);
    const { body } = await project.api.get("/v1/analytics/events/volume");
    await charts.getByRole("button", { name: "View as table" }).click();
    const last = charts.getByRole("row").last();
    const shown = () => last.getByRole("cell").nth(1).innerText();
    await expect.poll(shown, { timeout: 20_000 }).toBe(String(body.buckets.at(-1).received));
    await page.getByRole("button", { name: "Hide charts" }).click();
    await charts.waitFor({ state: "detached" });
    expect(pageErrors).toEqual([]);
  });

  it("updates a wait that times out while it is shown", TIMEOUT, async () => {
    await waitingRun(dashboard.world, project, { event_key: "short", timeout_secs: 5 });
    const { page, go, pageErrors } = await dashboard.signedIn();
    await go(project, "events?key=short");
    const row = page.getByRole("grid", { name: "Events" }).getByRole("row").filter({ hasText: "short" });
    await row.getByText("Waiting").waitFor();
    await row.getByText("due now").waitFor(); // the countdown has ended
    await dashboard.world.runUntilIdle();
    await page.getByRole("button", { name: /^Timed out [1-9]/ }).waitFor();
    await row.getByText("Waiting").waitFor({ state: "detached" }); // another wait may have timed out before
    expect(pageErrors).toEqual([]);
  });

  it("reports the first invalid byte of a key", () => {
    expect(keyIssue("x".repeat(512))).toBeUndefined();
    expect(keyIssue("x".repeat(513))).toContain("byte 512");
    expect(keyIssue("ä\u0007")).toContain("byte 2");
    expect(keyIssue("")).toContain("at least one");
  });

  it("groups events by time to receive", () => {
    const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
    const waited = (ms: number) => ({ requested_at: at(0), received_at: at(ms) }) as EventTrigger;
    const { steps, times } = receiveSteps([400, 2_000, 2_500, 50_000].map(waited));
    expect(steps.map(({ count }) => count)).toEqual([1, 2, 0, 1]);
    expect(steps.at(-1)?.to_ms).toBe(60_000);
    expect([percentileOf(times, 50), percentileOf(times, 95)]).toEqual([2_000, 50_000]);
    expect(receiveSteps([])).toEqual({ steps: [], times: [] });
  });
});
