import { existsSync } from "node:fs";
import { debianChromium } from "./debian-chromium.ts";

const SYSTEM = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** The browser of the tests: the one that is named, one of the system, the one of a package (x64 only), or Debian's. */
export async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];
  const found = process.env.PLAYWRIGHT_CHROMIUM_PATH ?? SYSTEM.find((path) => existsSync(path));
  if (found) return { executablePath: found, args };
  if (process.arch !== "x64") return { executablePath: await debianChromium(), args };
  const { default: packaged } = await import("@sparticuz/chromium");
  return { executablePath: await packaged.executablePath(), args: [...packaged.args, ...args] };
}
