import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../server/test/world.ts";
import { buildDashboard } from "../../tools/build-dashboard.mjs";
import { launchChromium } from "./find-chromium.ts";

export type Dashboard = {
  world: World;
  browser: Browser;
  /** A new browser of somebody who is signed in: with the internal secret, or with this key. */
  signedIn: (options?: OpenOptions) => Promise<OpenPage>;
  /** A new browser of nobody. */
  anonymous: (options?: OpenOptions) => Promise<OpenPage>;
};

export type OpenOptions = {
  key?: string;
  theme?: "light" | "dark";
  size?: { width: number; height: number };
  /** Pixels of the screen for each of the page. */
  scale?: number;
  /** Unless said otherwise nothing moves: without a graphics card a mark that turns costs a whole processor. */
  reducedMotion?: boolean;
};

export type OpenPage = {
  context: BrowserContext;
  page: Page;
  /** Goes to a page of a project: `go(project, "runs?q=status:failed")`. */
  go: (project: Pick<TestProject, "slug">, path: string, environment?: string) => Promise<void>;
  /** What must stay empty: errors of the console, faults of the page, requests to other origins. */
  faults: string[];
  /** Paths of the API that were asked, with their methods. */
  requests: string[];
};

/** SLOWNESS=4 waits four times as long, where others work beside us. */
export const SLOWNESS = Number(process.env.SLOWNESS ?? 1);

/** Built and launched once for all files of a worker; the browser ends with the worker. */
let built: Promise<string> | undefined;
let launched: Promise<Browser> | undefined;

/** A real service that serves the built dashboard, for this file, and a real Chromium. */
export async function openDashboard(world?: World): Promise<Dashboard> {
  built ??= buildDashboard();
  launched ??= launchChromium();
  const [served, browser] = await Promise.all([world ?? makeWorld(), launched, built]);
  const anonymous = async (options: OpenOptions = {}) => {
    const opened = await openPage(browser, served.url, options);
    onTestFinished(() => opened.context.close()); // a page that is left open goes on counting seconds
    return opened;
  };
  return {
    world: served,
    browser,
    anonymous,
    signedIn: async (options = {}) => {
      const opened = await anonymous(options);
      await opened.context.addCookies([await cookieFor(served, options.key)]);
      return opened;
    },
  };
}

/** One session for each credential: ten sign-ins a minute is the most from one address. */
const sessions = new WeakMap<World, Map<string | undefined, ReturnType<typeof startSession>>>();

function cookieFor(world: World, key: string | undefined) {
  const known = sessions.get(world) ?? new Map<string | undefined, ReturnType<typeof startSession>>();
  sessions.set(world, known);
  const session = known.get(key) ?? startSession(world, key);
  known.set(key, session);
  return session;
}

async function startSession(world: World, key: string | undefined) {
  const body = key === undefined ? { internal_secret: INTERNAL_SECRET } : { api_key: key };
  const { headers, status, text } = await world.anonymous.post("/v1/session", body);
  if (status !== 201) throw new Error(`no session: ${text}`);
  const [pair = ""] = (headers.get("set-cookie") ?? "").split(";");
  const [name = "", value = ""] = pair.split("=");
  return { name, value, url: world.url };
}

async function openPage(
  browser: Browser,
  url: string,
  { theme = "light", size, scale = 1, reducedMotion = true }: OpenOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({
    baseURL: url,
    colorScheme: theme,
    viewport: size ?? { width: 1440, height: 900 },
    deviceScaleFactor: scale,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  context.setDefaultTimeout(60_000 * SLOWNESS); // less than a test has, so that a failure says what it waited for
  const page = await context.newPage();
  const [faults, requests]: [string[], string[]] = [[], []];
  page.on(
    "console",
    (message) => message.type() === "error" && faults.push(`console: ${message.text()} ${message.location().url}`),
  );
  page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
  context.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== "blob:" && asked.protocol !== "data:" && asked.origin !== url)
      faults.push(`foreign request: ${asked.href}`);
    if (asked.pathname.startsWith("/v1/")) requests.push(`${request.method()} ${asked.pathname}${asked.search}`);
  });
  const go = async (project: Pick<TestProject, "slug">, path: string, environment = "production") => {
    await page.goto(`/p/${project.slug}/${environment}/${path}`);
  };
  return { context, page, go, faults, requests };
}
