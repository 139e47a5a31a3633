import { compare } from "../compare/compare.mjs";

const SEEDED = 1_000_000;

// graphile-worker deletes finished jobs; BullMQ and Restate cannot be filled with a million in reasonable time.
await compare({
  bench: "history",
  title: "The same drain with a million other runs in the table",
  unit: "runs/s",
  n: 20_000,
  cases: [
    { name: "empty", systems: ["millrace", "pg-boss", "graphile-worker"] },
    { name: "finished", systems: ["millrace", "pg-boss"], options: { seed: "finished", seeded: SEEDED } },
    {
      name: "future",
      systems: ["millrace", "pg-boss", "graphile-worker"],
      options: { seed: "future", seeded: SEEDED },
    },
  ],
  ratioTo: "empty",
});
