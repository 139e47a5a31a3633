import type { Browser, BrowserContext, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { INTERNAL_SECRET, makeWorld, type TestProject, type World } from "../../server/test/world/world.ts";
import { buildDashboard } from "../../tools/build-dashboard.mjs";
import { launchBrowser } from "./launch-browser.ts";

export type Dashboard = {
  world: World;
  browser: Browser;
  /** A new browser session signed in with the internal secret, or with this key. */
  signedIn: (options?: OpenOptions) => Promise<OpenPage>;
  /** A new anonymous browser session. */
  anonymous: (options?: OpenOptions) => Promise<OpenPage>;
};

export type OpenOptions = {
  key?: string;
  theme?: "light" | "dark";
  size?: { width: number; height: number };
  /** Device pixel ratio. */
  scale?: number;
  /** Motion is reduced by default: without a GPU an animated icon costs a whole core. */
  reducedMotion?: boolean;
};

export type OpenPage = {
  context: BrowserContext;
  page: Page;
  /** Opens a page of a project: `go(project, "runs?q=status:failed")`. */
  go: (project: Pick<TestProject, "slug">, path: string, environment?: string) => Promise<void>;
  /** Must stay empty: console errors, page errors and requests to other origins. */
  pageErrors: string[];
  /** API requests of the page, with their methods. */
  requests: string[];
};

/** SLOWNESS=4 waits four times as long on a busy machine. */
export const SLOWNESS = Number(process.env.SLOWNESS ?? 1);

/** Built and launched once per worker; the browser ends with the worker. */
let built: Promise<string> | undefined;
let launched: Promise<Browser> | undefined;

/** A real service that serves the built dashboard, and a real browser, per test file. */
export async function openDashboard(world?: World): Promise<Dashboard> {
  built ??= buildDashboard();
  launched ??= launchBrowser();
  const [served, browser] = await Promise.all([world ?? makeWorld(), launched, built]);
  const anonymous = async (options: OpenOptions = {}) => {
    const opened = await openPage(browser, served.url, options);
    onTestFinished(() => opened.context.close()); // an open page keeps its timers running
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

/** One session per credential, because sign-ins are limited to ten a minute per address. */
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
  context.setDefaultTimeout(60_000 * SLOWNESS); // shorter than the test timeout, so that a failure names what it waited for
  const page = await context.newPage();
  const [pageErrors, requests]: [string[], string[]] = [[], []];
  page.on(
    "console",
    (message) => message.type() === "error" && pageErrors.push(`console: ${message.text()} ${message.location().url}`),
  );
  page.on("pageerror", (error) => pageErrors.push(`page: ${error.message}`));
  context.on("request", (request) => {
    const requested = new URL(request.url());
    if (requested.protocol !== "blob:" && requested.protocol !== "data:" && requested.origin !== url)
      pageErrors.push(`foreign request: ${requested.href}`);
    if (requested.pathname.startsWith("/v1/"))
      requests.push(`${request.method()} ${requested.pathname}${requested.search}`);
  });
  const go = async (project: Pick<TestProject, "slug">, path: string, environment = "production") => {
    await page.goto(`/p/${project.slug}/${environment}/${path}`);
  };
  return { context, page, go, pageErrors, requests };
}
