import { measureRequests } from "../compare/measure-requests.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { measure } from "./measure.mjs";
import { REQUESTS } from "./requests.mjs";
import { seedRuns } from "./seed-runs.mjs";

// Measures pages of runs with millions of runs in the table.
await measureRequests({
  bench: "listing",
  n: 1_000_000,
  calls: 200,
  prepare: async (service, { n }) => {
    const seeded = await seedRuns(service, n);
    if (seeded.added > 0) await settleDatabase(service.client);
    return seeded;
  },
  requests: REQUESTS,
  measure,
  columns: ["rows"],
  summary: ({ seed_secs, index_secs, size }) =>
    `Seeded in ${seed_secs} s, indexed ${index_secs} s later. Sizes: ${size}.`,
});
