import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { lookOf } from "../../src/parts/state/statuses.ts";
import { type Dashboard, openDashboard, SLOWNESS } from "../open-dashboard.ts";
import { colorDifference, mostChroma, type Pixels, pixelReader, shapeDifference } from "./mark-pixels.ts";

/** Whether statuses are distinguishable with color vision deficiencies. SCREENSHOTS=/tmp/shots keeps the images. */
let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, 180_000);

const TIMEOUT = { timeout: 300_000 * SLOWNESS };
const EYES = ["none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia"] as const;
type Eyes = (typeof EYES)[number];

/** Minimum share of drawn pixels that two shapes do not have in common. */
const MIN_SHAPE = 0.25;
/** In OKLab. Minimum distance of two color families, unless there is no color at all. */
const MIN_COLOR = 0.05;

type Mark = { status: string; label: string; pixels: Pixels };

describe.each(["light", "dark"] as const)("statuses in the %s theme", (theme) => {
  it.each(EYES)("G15 differ by shape, label and color with %s", TIMEOUT, async (eyes) => {
    const { page } = await dashboard.signedIn({ theme, scale: 4 });
    await page.goto("/gallery");
    await page.locator(".react-flow__node").first().waitFor();
    await seenWith(page, eyes);
    const marks = await marksOn(page);
    await keepPicture(page, `${theme}-${eyes}`);
    expect(marks.length).toBeGreaterThan(12);
    expect(new Set(marks.map(({ label }) => label)).size).toBe(marks.length);
    const found = pairsOf(marks).flatMap(([one, other]) => [
      ...tooAlikeInShape(one, other),
      ...(eyes === "achromatopsia" ? [] : tooAlikeInColor(one, other)),
    ]);
    expect(found).toEqual([]);
    const chroma = Math.max(...marks.map(({ pixels }) => mostChroma(pixels)));
    if (eyes === "achromatopsia") expect(chroma).toBeLessThan(0.02);
    else expect(chroma).toBeGreaterThan(0.2);
  });

  it("the comparison detects identical marks and missing colors", TIMEOUT, async () => {
    const { page } = await dashboard.signedIn({ theme, scale: 4 });
    await page.goto("/gallery");
    await page.locator(".react-flow__node").first().waitFor();
    const [first, again] = [await marksOn(page), await marksOn(page)];
    for (const [nth, mark] of first.entries()) {
      const same = again[nth] as Mark;
      expect([mark.status, shapeDifference(mark.pixels, same.pixels)]).toEqual([mark.status, 0]);
      expect(colorDifference(mark.pixels, same.pixels)).toBeLessThan(0.001);
    }
  });
});

async function seenWith(page: Page, type: Eyes): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setEmulatedVisionDeficiency", { type });
}

/** Each status once, from the gallery. */
async function marksOn(page: Page): Promise<Mark[]> {
  const read = await pixelReader(dashboard.browser);
  const shown = page.getByRole("region", { name: "StatusMark" }).locator("[data-status]");
  const marks: Mark[] = [];
  for (const each of await shown.all()) {
    const status = (await each.getAttribute("data-status")) ?? "";
    if (marks.some((mark) => mark.status === status)) continue;
    const label = (await each.innerText()).trim();
    marks.push({ status, label, pixels: await read(each.locator("svg")) });
  }
  return marks;
}

function pairsOf(marks: Mark[]): [Mark, Mark][] {
  return marks.flatMap((one, nth) => marks.slice(nth + 1).map((other): [Mark, Mark] => [one, other]));
}

function tooAlikeInShape(one: Mark, other: Mark): string[] {
  if (lookOf(one.status).shape === lookOf(other.status).shape) return [];
  const by = shapeDifference(one.pixels, other.pixels);
  return by < MIN_SHAPE ? [`${one.status} and ${other.status}: shapes differ by ${by.toFixed(2)}`] : [];
}

function tooAlikeInColor(one: Mark, other: Mark): string[] {
  const families = [lookOf(one.status).family, lookOf(other.status).family];
  if (families[0] === families[1] || families.includes("unknown")) return [];
  const by = colorDifference(one.pixels, other.pixels);
  return by < MIN_COLOR ? [`${one.status} and ${other.status}: colors differ by ${by.toFixed(3)}`] : [];
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `statuses-${name}.png`) });
}
