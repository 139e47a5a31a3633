import type { Page } from "playwright-core";

/** Waits until a page has a heading and nothing is loading. The gallery shows loading components on purpose. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  await page.getByRole("heading").first().waitFor();
  if (new URL(page.url()).pathname.endsWith("/gallery")) return page.waitForTimeout(1_500);
  // Not with waitForFunction: it uses eval, which the Content Security Policy forbids.
  const busy = page.locator("[aria-busy=true], [aria-label=Loading]");
  do {
    await busy.first().waitFor({ state: "detached" });
    await page.waitForTimeout(300); // loaded content may request more
  } while ((await busy.count()) > 0);
}

/** Calls `look` for the page and each of its tabs. */
export async function eachTab(page: Page, look: (tab: string) => Promise<void>): Promise<void> {
  const tabs = page.locator("main").getByRole("tablist").first().getByRole("tab");
  const names = page.url().endsWith("/gallery") ? [] : await tabs.allInnerTexts();
  if (names.length === 0) return look("");
  for (const [nth, name] of names.entries()) {
    await tabs.nth(nth).click();
    await settled(page);
    await look(name);
  }
}

/** By how many pixels the page or its main part is wider than the window. */
export async function overflow(page: Page): Promise<{ by: number; who: string }> {
  return page.evaluate(() => {
    const parts = [document.documentElement, ...document.querySelectorAll("main")];
    const by = Math.max(...parts.map((part) => part.scrollWidth - part.clientWidth));
    if (by <= 0) return { by: 0, who: "" };
    const isClipped = (element: Element) => element.closest(".overflow-x-auto, .overflow-auto, .overflow-hidden");
    const wide = [...document.querySelectorAll("main *")].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element),
    );
    return {
      by,
      who: wide
        .slice(0, 3)
        .map((element) => element.outerHTML.slice(0, 160))
        .join(" | "),
    };
  });
}
