import { compare } from "../compare/compare.mjs";

// Seeded runs are two hours old, so this deletes all of them.
process.env.RUN_RETENTION = "1h";

await compare({
  bench: "retention",
  title: "The same drain while old runs are deleted",
  unit: "runs/s",
  n: 20_000,
  cases: [
    { name: "alone", systems: ["millrace"], options: { seeded: 500_000 } },
    { name: "deleting", systems: ["millrace"], options: { seeded: 500_000, isDeleting: true } },
  ],
  ratioTo: "alone",
});
