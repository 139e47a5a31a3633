import type { Page } from "playwright-core";
import { SLOWNESS } from "../open-dashboard.ts";

/** The browser does not report interactions that took less. */
const MIN_REPORTED_MS = 16;

// The slowest event of each key press or click.
const WATCH = `
  globalThis.tookMs = {};
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId) globalThis.tookMs[interactionId] = Math.max(duration, globalThis.tookMs[interactionId] ?? 0);
  }).observe({ type: "event", durationThreshold: ${MIN_REPORTED_MS} });
`;

/** Measures key presses and clicks from now on, each until the paint after it. */
export async function watchInteractions(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

/** Percentiles of so many interactions in milliseconds. */
export async function interactionTimes(page: Page, count: number): Promise<{ p50: number; p95: number; max: number }> {
  await page.waitForTimeout(500 * SLOWNESS); // the last ones are reported after their paint
  const slow = Object.values(await page.evaluate<Record<string, number>>("globalThis.tookMs"));
  const quick = Array.from({ length: Math.max(0, count - slow.length) }, () => MIN_REPORTED_MS);
  const took = [...quick, ...slow].sort((a, b) => a - b);
  const at = (share: number) => took[Math.ceil(took.length * share) - 1] ?? 0;
  const times = { p50: at(0.5), p95: at(0.95), max: at(1) };
  console.log(`${took.length} keys and clicks: p50 ${times.p50} ms, p95 ${times.p95} ms, most ${times.max} ms`);
  return times;
}

/** Scrolls down and up, one row per frame. Returns frames per second. */
export function framesWhileScrolling(list: Element, { rowPx, seconds }: { rowPx: number; seconds: number }) {
  const scroller = list.parentElement;
  const [began, max] = [performance.now(), 400];
  return new Promise<number>((resolve) => {
    let frames = 0;
    const step = () => {
      frames += 1;
      scroller?.scrollTo(0, rowPx * (frames % (2 * max) < max ? frames % max : max - (frames % max)));
      if (performance.now() - began < seconds * 1_000) requestAnimationFrame(step);
      else resolve(Math.round(frames / ((performance.now() - began) / 1_000)));
    };
    requestAnimationFrame(step);
  });
}
