import { compare } from "../compare/compare.mjs";

await compare({
  bench: "pull",
  title: "Runs that a worker of the same process pulls, and pushed ones: a full queue, and triggered one by one",
  unit: "runs/s",
  n: 20_000,
  usual: ["millrace-pull", "millrace", "pg-boss", "bullmq"],
  cases: [
    { name: "drain", options: { of: "drain" } },
    { name: "through", options: { of: "through" } },
  ],
});
