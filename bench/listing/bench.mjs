import { askBesideRuns } from "../compare/ask-beside-runs.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { ASKED } from "./asked.mjs";
import { measure } from "./measure.mjs";
import { seedRuns } from "./seed-runs.mjs";

// What a page of runs takes beside millions of them.
await askBesideRuns({
  bench: "listing",
  n: 1_000_000,
  calls: 200,
  prepare: async (service, { n }) => {
    const seeded = await seedRuns(service, n);
    if (seeded.added > 0) await settleDatabase(service.client);
    return seeded;
  },
  asked: ASKED,
  measure,
  columns: ["rows"],
  tell: ({ seed_secs, file_secs, size }) => `Seeded in ${seed_secs} s, filed ${file_secs} s later. Sizes: ${size}.`,
});
