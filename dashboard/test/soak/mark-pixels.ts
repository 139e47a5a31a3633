import type { Browser, Locator } from "playwright-core";

/** Red, green and blue per pixel, 0 to 1. */
export type Pixels = { width: number; height: number; rgb: [number, number, number][] };

/** Decodes images in the browser, without a library. */
export async function pixelReader(browser: Browser): Promise<(shown: Locator) => Promise<Pixels>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  return async (shown) => {
    const picture = (await shown.screenshot({ animations: "disabled" })).toString("base64");
    const { width, height, data } = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      canvas?.drawImage(bitmap, 0, 0);
      const read = canvas?.getImageData(0, 0, bitmap.width, bitmap.height);
      return { width: bitmap.width, height: bitmap.height, data: [...(read?.data ?? [])] };
    }, picture);
    const rgb = Array.from({ length: width * height }, (_, nth): [number, number, number] => [
      (data[nth * 4] ?? 0) / 255,
      (data[nth * 4 + 1] ?? 0) / 255,
      (data[nth * 4 + 2] ?? 0) / 255,
    ]);
    return { width, height, rgb };
  };
}

/** Drawn pixels: those that differ from the background in the corner. */
function inkOf({ rgb }: Pixels): boolean[] {
  const ground = rgb[0] ?? [0, 0, 0];
  return rgb.map((pixel) => Math.max(...pixel.map((part, nth) => Math.abs(part - (ground[nth] ?? 0)))) > 0.12);
}

/** 0: the same drawn pixels. 1: none in common. */
export function shapeDifference(one: Pixels, other: Pixels): number {
  const [a, b] = [inkOf(one), inkOf(other)];
  const either = a.filter((is, nth) => is || b[nth]).length;
  const both = a.filter((is, nth) => is && b[nth]).length;
  return 1 - both / Math.max(1, either);
}

/** OKLab distance of the colors of two marks; 0.02 is just visible. */
export function colorDifference(one: Pixels, other: Pixels): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(...a.map((part, nth) => part - (b[nth] ?? 0)));
}

/** Grayscale: red, green and blue are equal everywhere. */
export function mostChroma({ rgb }: Pixels): number {
  return Math.max(...rgb.map((pixel) => Math.max(...pixel) - Math.min(...pixel)));
}

/** The color of a mark: its strongest tenth, because edges are blended. */
function labOf({ rgb }: Pixels): number[] {
  const ground = oklab(rgb[0] ?? [0, 0, 0]);
  const by = rgb
    .map(oklab)
    .map((lab) => ({ lab, from: Math.hypot(...lab.map((part, nth) => part - (ground[nth] ?? 0))) }))
    .sort((a, b) => b.from - a.from)
    .slice(0, Math.max(4, Math.round(rgb.length / 20)));
  return [0, 1, 2].map((nth) => by.reduce((sum, { lab }) => sum + (lab[nth] ?? 0), 0) / by.length);
}

/** OKLab by Björn Ottosson, from sRGB. */
function oklab(pixel: [number, number, number]): number[] {
  const [r, g, b] = pixel.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
