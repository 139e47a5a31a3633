import type { Page } from "playwright-core";

/** Resolves once the page has subscribed to this topic. Call it before opening the page. */
export async function streamOf(page: Page, topic: string): Promise<void> {
  await page.waitForResponse(
    (response) =>
      decodeURIComponent(response.url())
        .match(/\/v1\/stream\?.*/)?.[0]
        .includes(topic) ?? false,
  );
}
