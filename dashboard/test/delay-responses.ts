import type { Page } from "playwright-core";

/** Holds the responses of matching requests, like a slow connection, until the returned function is called. */
export async function delayResponses(page: Page, to: RegExp): Promise<() => void> {
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(to, async (route) => {
    await mayAnswer;
    await route.fallback();
  });
  return answer;
}
