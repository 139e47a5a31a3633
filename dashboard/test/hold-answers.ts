import type { Page } from "playwright-core";

/** Holds back what is asked for at these addresses, as a slow line does, until the function it answers is called. */
export async function holdAnswers(page: Page, to: RegExp): Promise<() => void> {
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
