import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type ReadyService,
  ROOT,
  startService,
  temporaryDir,
  useServices,
} from "../../../server/test/service/start-service.ts";
import { launchBrowser } from "../launch-browser.ts";

// biome-ignore lint/correctness/useHookAtTopLevel: not a React hook
useServices();

let service: ReadyService;
let browser: Awaited<ReturnType<typeof launchBrowser>>;
let page: Awaited<ReturnType<typeof browser.newPage>>;
const errors: string[] = [];

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startService("dev", { root: ROOT, env: { MILLRACE_DATA_DIR: temporaryDir() } }),
    launchBrowser(),
  ]);
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
});
afterAll(() => browser.close());

describe("the sign-in link of `npm start`", () => {
  it("opens the demo project", async () => {
    await page.goto(signInLink());
    await page.waitForURL(/\/p\/demo\/production\/home/);
    await page.getByRole("region", { name: "Demo project" }).waitFor();
    // The page reads the caller before it uses the link.
    expect(errors.splice(0).filter((error) => !error.includes("401"))).toEqual([]);
  });

  it("opens every page of the navigation without errors", async () => {
    const links = await page.getByRole("navigation").getByRole("link").all();
    const paths = await Promise.all(links.map((link) => link.getAttribute("href")));
    expect(paths.length).toBeGreaterThan(8);
    for (const path of new Set(paths)) {
      await page.goto(new URL(path ?? "/", service.url).href);
      await page.getByRole("main").getByRole("heading").first().waitFor();
    }
    expect(errors).toEqual([]);
  });

  it("lists the demo's runs and opens one", async () => {
    await page.goto(`${service.url}/p/demo/production/runs`);
    await page.getByRole("main").getByText("Completed").first().waitFor();
    const link = page.getByRole("main").locator('a[href*="/runs/"]').first();
    await page.goto(new URL((await link.getAttribute("href")) ?? "/", service.url).href);
    await page.getByRole("main").getByRole("heading").first().waitFor();
    expect(errors).toEqual([]);
  });
});

function signInLink(): string {
  const code = /\?code=(\S+)/.exec(service.output())?.[1];
  if (!code) throw new Error(`there is no sign-in link in:\n${service.output()}`);
  return `${service.url}/?code=${code}`;
}
