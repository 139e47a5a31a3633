import type { Page } from "playwright-core";

/** Holds the responses of matching requests, like a slow connection, until the returned function is called. */
export async function delayResponses(page: Page, to: RegExp): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(to, async (route) => {
    await released;
    await route.fallback();
  });
  return release;
}
