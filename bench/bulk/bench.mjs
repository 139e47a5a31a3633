import { compare } from "../compare/compare.mjs";

// Restate has no bulk call.
await compare({
  bench: "bulk",
  title: "Runs enqueued in bulk",
  unit: "runs/s",
  n: 100_000,
  systems: ["millrace", "pg-boss", "graphile-worker", "bullmq"],
});
