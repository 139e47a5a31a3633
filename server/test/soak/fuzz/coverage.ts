import { Session } from "node:inspector/promises";

export type Coverage = {
  /** Whether some function has run another combination of its blocks since the last call. */
  hasGrown: () => Promise<boolean>;
  paths: () => number;
};

type Range = { startOffset: number; endOffset: number; count: number };
type Taken = { result: { scriptId: string; url: string; functions: { ranges: Range[] }[] }[] };

/** Which blocks of each function run together, in all files of this process, as V8 counts them. */
export async function watchCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const known = new Set<string>();

  async function hasGrown(): Promise<boolean> {
    const { result } = (await session.post("Profiler.takePreciseCoverage")) as Taken;
    const before = known.size;
    for (const { scriptId, functions } of result.filter(({ url }) => url.startsWith("file:"))) {
      for (const { ranges } of functions) {
        if ((ranges[0]?.count ?? 0) > 0) known.add(`${scriptId} ${ranges.map(print).join(" ")}`);
      }
    }
    return known.size > before;
  }

  return { hasGrown, paths: () => known.size };
}

function print({ startOffset, endOffset, count }: Range): string {
  return `${startOffset}-${endOffset}${count > 0 ? "" : "!"}`;
}
