import { compare } from "../compare/compare.mjs";

const PER_SECOND = 50;
const SECS = 20;

await compare({
  bench: "event",
  title: "From sending an event to the start of the next step",
  unit: "start p99, ms",
  figure: (line) => line.start_ms.p99,
  lowerIsBetter: true,
  cases: [{ name: `${PER_SECOND}/s`, options: { n: PER_SECOND * SECS, per_second: PER_SECOND } }],
});
