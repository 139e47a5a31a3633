import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const PICTURES = [
  { theme: "light", width: 1440, height: 900 },
  { theme: "light", width: 1024, height: 768 },
  { theme: "light", width: 390, height: 844 },
  { theme: "dark", width: 1440, height: 900 },
] as const;

/** With SCREENSHOTS=/tmp/shots: what is on screen, at three widths, and in the dark theme. */
export async function pictureOf(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  for (const { theme, ...size } of PICTURES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(size);
    await page.waitForTimeout(250);
    await page.screenshot({ path: join(folder, `${name}-${theme}-${size.width}.png`) });
  }
  await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
  if (before) await page.setViewportSize(before);
}
