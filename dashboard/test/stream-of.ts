import type { Page } from "playwright-core";

/** Comes back once the page follows this topic: what happens from then on is told. To be asked before the page is. */
export async function streamOf(page: Page, topic: string): Promise<void> {
  await page.waitForResponse(
    (response) =>
      decodeURIComponent(response.url())
        .match(/\/v1\/stream\?.*/)?.[0]
        .includes(topic) ?? false,
  );
}
