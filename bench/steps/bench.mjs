import { compare } from "../compare/compare.mjs";

await compare({
  bench: "steps",
  title: "Workflows of three sequential steps over HTTP",
  unit: "workflows/s",
  n: 5_000,
});
