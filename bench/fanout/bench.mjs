import { compare } from "../compare/compare.mjs";

await compare({
  bench: "fanout",
  title: "Workflows of ten steps over HTTP side by side, and one that waits for all of them",
  unit: "workflows/s",
  n: 2_000,
});
