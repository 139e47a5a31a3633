import { compare } from "../compare/compare.mjs";

await compare({
  bench: "fanout",
  title: "Workflows of ten parallel steps over HTTP, and one that waits for all of them",
  unit: "workflows/s",
  n: 2_000,
});
