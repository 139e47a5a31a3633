import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { debianChromium } from "./debian-chromium.ts";

const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser of the tests: PLAYWRIGHT_CHROMIUM_PATH, an installed one, or Debian's in the user's cache. */
async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  const found = process.env.PLAYWRIGHT_CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path));
  return { executablePath: found ?? (await debianChromium()), args };
}

export async function launchChromium(): Promise<Browser> {
  return chromium.launch(await findChromium());
}
