import type { Page } from "playwright-core";

/** Returns the CPU milliseconds of the page's main thread since the call, independent of machine load. */
export async function cpuTime(page: Page): Promise<() => Promise<number>> {
  const line = await page.context().newCDPSession(page);
  await line.send("Performance.enable", { timeDomain: "threadTicks" });
  const read = async () => {
    const { metrics } = await line.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ThreadTime")?.value ?? Number.NaN) * 1_000;
  };
  const before = await read();
  return async () => (await read()) - before;
}
