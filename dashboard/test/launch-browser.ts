import type { Browser } from "playwright-core";
import { launchChromium } from "./find-chromium.ts";
import { launchFirefox } from "./launch-firefox.ts";

/** Chromium, or Firefox in the soak suite `firefox`. */
export function launchBrowser(): Promise<Browser> {
  return process.env.DASHBOARD_BROWSER === "firefox" ? launchFirefox() : launchChromium();
}
