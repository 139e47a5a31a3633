import { compare } from "../compare/compare.mjs";

await compare({
  bench: "steps",
  title: "Workflows of three steps over HTTP, one after the other",
  unit: "workflows/s",
  n: 5_000,
});
