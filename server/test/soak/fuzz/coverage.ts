import { Session } from "node:inspector/promises";

export type Coverage = {
  /** Whether some function has run another combination of its blocks since the last call. */
  hasGrown: () => Promise<boolean>;
  paths: () => number;
  close: () => Promise<void>;
};

type Range = { startOffset: number; endOffset: number; count: number };
type Taken = { result: { url: string; functions: { ranges: Range[] }[] }[] };

/** Which blocks of each function run together, in some source files, as V8 counts them. */
export async function watchCoverage(path: RegExp): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const known = new Set<string>();

  async function hasGrown(): Promise<boolean> {
    const { result } = (await session.post("Profiler.takePreciseCoverage")) as Taken;
    const before = known.size;
    for (const { url, functions } of result.filter((script) => path.test(script.url))) {
      for (const { ranges } of functions) {
        if ((ranges[0]?.count ?? 0) > 0) known.add(`${url} ${ranges.map(print).join(" ")}`);
      }
    }
    return known.size > before;
  }

  return {
    hasGrown,
    paths: () => known.size,
    close: async () => {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}

function print({ startOffset, endOffset, count }: Range): string {
  return `${startOffset}-${endOffset}${count > 0 ? "" : "!"}`;
}
