import { measureRequests } from "../compare/measure-requests.mjs";
import { settleDatabase } from "../compare/settle-database.mjs";
import { seedRuns } from "../listing/seed-runs.mjs";
import { measure } from "./measure.mjs";
import { REQUESTS } from "./requests.mjs";
import { keepChangelog, readSizes, rollUp } from "./roll-up.mjs";

// Measures analytics requests with millions of runs from the last 30 days, rolled up by the service itself.
// `--roll-up` repeats the rollup.
await measureRequests({
  bench: "analytics",
  n: 10_000_000,
  calls: 100,
  env: { LOG_RETENTION: "8760h" },
  flags: { "roll-up": { type: "boolean", default: false } },
  prepare: async (service, { n, "roll-up": again }) => {
    await keepChangelog(service.client);
    const seeded = await seedRuns(service, n, { withLives: true });
    const roll_secs = seeded.added > 0 || again ? await rollUp(service.client) : 0;
    if (roll_secs > 0) await settleDatabase(service.client);
    return { ...seeded, roll_secs, size: await readSizes(service.client) };
  },
  requests: REQUESTS,
  measure,
  columns: ["kb"],
  summary: ({ seed_secs, roll_secs, size }, { n }) => {
    const rate = roll_secs > 0 ? ` (${Math.round(n / roll_secs).toLocaleString("en")} runs/s)` : "";
    return `Seeded in ${seed_secs} s, rolled up in ${roll_secs} s${rate}. Rollups: ${size}.`;
  },
});
