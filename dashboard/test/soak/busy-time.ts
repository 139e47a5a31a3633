import type { Page } from "playwright-core";

/** Answers how many milliseconds the page's own thread has computed since: the same on a busy machine as on a quiet one. */
export async function busyTime(page: Page): Promise<() => Promise<number>> {
  const line = await page.context().newCDPSession(page);
  await line.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await line.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ThreadTime")?.value ?? Number.NaN) * 1_000;
  };
  const before = await read();
  return async () => (await read()) - before;
}
