import { SCOPES } from "@millrace/contract/access/scopes";
import type { Page } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runSql } from "../../../server/test/world/database.ts";
import type { TestProject } from "../../../server/test/world/world.ts";
import { allPagePaths } from "../all-page-paths.ts";
import { seriousFindings } from "../axe.ts";
import { type Dashboard, type OpenOptions, type OpenPage, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { injectedMarkup } from "./hostile-texts.ts";
import { type PageIds, seedEverything, seedHostile } from "./seed-everything.ts";
import { eachTab, overflow, settled } from "./settled-page.ts";

/** Rules for every page and each of its tabs. PAGES=runs,home checks only those. */
const only = process.env.PAGES?.split(",");
const pages = allPagePaths().filter(({ name }) => only === undefined || only.includes(name));
type PagePath = (typeof pages)[number];

let dashboard: Dashboard;
let project: TestProject;
let hostile: TestProject;
let ids: PageIds;
let hostileIds: PageIds;
let viewer: string;
beforeAll(async () => {
  dashboard = await openDashboard();
  const { world } = dashboard;
  project = await world.project({ name: "Acme shop" });
  hostile = await world.project({ name: "Evil corp" });
  ids = await seedEverything(world, project);
  hostileIds = await seedHostile(world, hostile);
  viewer = (await hostile.newKey({ scopes: SCOPES.filter((scope) => scope.endsWith(":read")) })).key;
}, 300_000);

/** Seeding stops the clock, so the minute for which requests of sessions are counted never ends. */
beforeEach(() => runSql(dashboard.world.connection, "delete from ip_counters"));

const TIMEOUT = { timeout: 300_000 * SLOWNESS };
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

async function open({ path, isAnonymous }: PagePath, options: OpenOptions = {}, of = project): Promise<OpenPage> {
  const opened = await (isAnonymous ? dashboard.anonymous : dashboard.signedIn)({ reducedMotion: true, ...options });
  const address = path(of.slug, of === hostile ? hostileIds : ids);
  if (address === undefined) throw new Error("no object was seeded for this page");
  await opened.page.goto(address);
  await settled(opened.page);
  return opened;
}

/** Expected responses that browsers log as errors: not signed in, a workflow without a canary. */
const grave = ({ pageErrors }: OpenPage, { isAnonymous }: PagePath) =>
  pageErrors.filter(
    (error) => !(isAnonymous && error.includes("401")) && !/404.*\/workflows\/[^/]+\/canary$/.test(error),
  );

describe.each(pages)("$name", (row) => {
  it(
    "G1 G2 G3 G7 light: no serious axe findings, an empty console, the same page in another browser",
    TIMEOUT,
    async () => {
      const [opened, there, found]: [OpenPage, OpenPage, string[]] = [await open(row), await open(row), []];
      await eachTab(opened.page, async (tab) => {
        found.push(...(await seriousFindings(opened.page)).map((finding) => `${tab}: ${finding}`));
        found.push(...(await differences(opened, there)).map((difference) => `${tab}: ${difference}`));
      });
      expect([...found, ...grave(opened, row), ...grave(there, row)]).toEqual([]);
      await Promise.all([opened.context.close(), there.context.close()]);
    },
  );

  it(
    "G1 G2 G3 G9 dark: no serious axe findings, an empty console, no horizontal scrolling on a phone",
    TIMEOUT,
    async () => {
      const opened = await open(row, { theme: "dark" });
      const { page, context } = opened;
      const found: string[] = [];
      await eachTab(page, async (tab) => {
        found.push(...(await seriousFindings(page)).map((finding) => `${tab}: ${finding}`));
        await page.setViewportSize(PHONE);
        found.push(...(await tooWide(page)).map((error) => `${tab}: ${error}`));
        await page.setViewportSize(DESK);
      });
      expect([...found, ...grave(opened, row)]).toEqual([]);
      await context.close();
    },
  );

  it.skipIf(row.isAnonymous || row.name === "gallery")(
    "G9 G11 G16 a viewer's phone: hostile texts are not executed, and buttons that change something are disabled",
    TIMEOUT,
    async () => {
      const opened = await open(row, { size: PHONE, key: viewer }, hostile);
      const { page, context, requests } = opened;
      const found: string[] = [];
      page.on("dialog", (dialog) => found.push(`dialog: ${dialog.message()}`));
      await eachTab(page, async (tab) => {
        found.push(...(await injectedMarkup(page)).map((markup) => `${tab}: from a hostile text: ${markup}`));
        found.push(...(await tooWide(page)).map((error) => `${tab}: ${error}`));
        found.push(...(await pressable(opened)).map((name) => `${tab}: can be pressed: ${name}`));
      });
      expect([...found, ...grave(opened, row)]).toEqual([]);
      expect(requests.filter((requested) => !READS.test(requested))).toEqual([]);
      await context.close();
    },
  );

  it("the content security policy allows nothing unsafe", async () => {
    const address = row.path(project.slug, ids) ?? "";
    const response = await fetch(`${dashboard.world.url}${address}`, { headers: { accept: "text/html" } });
    const policy = response.headers.get("content-security-policy") ?? "";
    expect([response.status, policy]).toEqual([200, expect.stringContaining("default-src 'none'")]);
    expect(policy).not.toContain("unsafe");
  });
});

describe("a viewer", () => {
  it("G11 is rejected by the API when the page is bypassed", TIMEOUT, async () => {
    const { page, go } = await dashboard.signedIn({ key: viewer });
    await go(hostile, "runs");
    await settled(page);
    const status = await page.evaluate(async (id) => {
      const headers = { "content-type": "application/json" };
      return (await fetch(`/v1/runs/${id}/cancel`, { method: "POST", headers, body: "{}" })).status;
    }, hostileIds.runId);
    expect(status).toBe(403);
  });
});

/** Opens the current URL in another browser, and returns what differs. */
async function differences(here: OpenPage, there: OpenPage): Promise<string[]> {
  const address = withLater(here.page.url());
  await there.page.goto(address);
  await settled(there.page);
  const found = there.page.url() === address ? [] : [`${address} became ${there.page.url()}`];
  const [first, second] = [await shown(here), await shown(there)];
  return first === second ? found : [...found, `${first} is ${second} in the other browser`];
}

async function tooWide(page: Page): Promise<string[]> {
  const { by, who } = await overflow(page);
  return by > 0 ? [`${by} px too wide: ${who}`] : [];
}

function withLater(address: string): string {
  const url = new URL(address);
  // The landing page takes a sign-in code and ignores other parameters.
  if (url.pathname !== "/") url.searchParams.set("later", "1");
  return url.href;
}

/** Identifies a page by its heading and the selected tabs and views. */
async function shown({ page }: OpenPage): Promise<string> {
  const head = await page.getByRole("heading").first().innerText();
  const chosen = await page.locator("main [aria-selected=true], main [aria-pressed=true]").allInnerTexts();
  return [head, ...chosen].join(" · ").replaceAll(/\d+/g, "#");
}

/** Plans, simulations and tests of an event are POST requests that change nothing. */
const READS = /^GET |^POST \S+\/(plan|simulate)$|^POST \/v1\/event-sources\/[^/]+\/test$/;
const CHANGES =
  /^(create|new|add|edit|save|delete|remove|revoke|rotate|cancel|retry|replay|reset|trigger|send|purge|pause|resume|approve|reject|promote|roll back|start|stop|assign|apply|archive|restore)\b/i;
/** Buttons that only change the view, or a draft that other buttons save. */
const ONLY_LOOKS = /^add step$|live|filter|column|zoom|range|view|following|as text|as code|in this browser/i;

async function pressable({ page }: OpenPage): Promise<string[]> {
  const buttons = await page
    .locator("main button:visible")
    .evaluateAll((all) =>
      all
        .filter((button) => button.getAttribute("aria-disabled") !== "true" && !(button as HTMLButtonElement).disabled)
        .map((button) => (button.getAttribute("aria-label") ?? button.textContent ?? "").trim()),
    );
  return buttons.filter((name) => CHANGES.test(name) && !ONLY_LOOKS.test(name));
}
