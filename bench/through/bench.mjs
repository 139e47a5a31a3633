import { compare } from "../compare/compare.mjs";

await compare({
  bench: "through",
  title: "Runs started one by one, dispatched over HTTP and completed",
  unit: "runs/s",
  n: 20_000,
});
