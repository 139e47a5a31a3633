import { compare } from "../compare/compare.mjs";

const SECS = 10;

await compare({
  bench: "latency",
  title: "From the enqueuing call to the start of the handler",
  unit: "start p99, ms",
  figure: (line) => line.start_ms.p99,
  lowerIsBetter: true,
  cases: [50, 1_000].map((perSecond) => ({
    name: `${perSecond}/s`,
    options: { n: perSecond * SECS, per_second: perSecond },
  })),
});
