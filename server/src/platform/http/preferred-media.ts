/**
 * The preferred media type of an Accept header. Ties go to the more specific range, then to the type offered first. The
 * first is also the default when the header is absent or matches none.
 */
export function preferredMedia<T extends string>(accept: string | undefined, offered: readonly [T, ...T[]]): T {
  const ranges = (accept ?? "").split(",").map(parseRange);
  let best: { media: T } & Preference = { media: offered[0], quality: 0, exactness: 0 };
  for (const media of offered) {
    const preference = preferenceOf(media, ranges);
    const isBetter =
      preference.quality > best.quality ||
      (preference.quality > 0 && preference.quality === best.quality && preference.exactness > best.exactness);
    if (isBetter) best = { media, ...preference };
  }
  return best.media;
}

type Range = { name: string; quality: number };
type Preference = { quality: number; exactness: number };

function parseRange(text: string): Range {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { name, quality: quality === undefined ? 1 : Number(quality) || 0 };
}

/** The most specific matching range decides. */
function preferenceOf(media: string, ranges: readonly Range[]): Preference {
  const names = ["*/*", `${media.split("/")[0]}/*`, media];
  const fitting = ranges.map(({ name, quality }) => ({ quality, exactness: names.indexOf(name) + 1 }));
  return fitting.reduce((best, each) => (each.exactness > best.exactness ? each : best), { quality: 0, exactness: 0 });
}
