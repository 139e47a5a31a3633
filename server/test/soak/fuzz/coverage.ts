import { Session } from "node:inspector/promises";

export type Coverage = {
  /** Whether the code under test has run a block that it had not run before. */
  hasGrown: () => Promise<boolean>;
  blocks: () => number;
  close: () => Promise<void>;
};

type Taken = {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[];
};

/** Which blocks of some source files have run, as V8 counts them. */
export async function watchCoverage(path: RegExp): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  const known = new Set<string>();

  async function hasGrown(): Promise<boolean> {
    const { result } = (await session.post("Profiler.takePreciseCoverage")) as Taken;
    const before = known.size;
    for (const { url, functions } of result.filter((script) => path.test(script.url))) {
      for (const { ranges } of functions) {
        for (const range of ranges) if (range.count > 0) known.add(`${url}:${range.startOffset}-${range.endOffset}`);
      }
    }
    return known.size > before;
  }

  return {
    hasGrown,
    blocks: () => known.size,
    close: async () => {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}
