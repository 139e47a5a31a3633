import { startWorker } from "../start-worker.ts";
import { reportJob } from "./report.ts";

const report = reportJob((day) => [
  { at: `${day}T09:00:00Z`, amount: 12 },
  { at: `${day}T17:30:00Z`, amount: 30 },
]);
const { client, stop } = await startWorker([report]);
const { cron, timezone, next_fire_times } = await client.jobs.schedule("nightly-report");
const hour = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, timeStyle: "short" });
console.log(`${cron} in ${timezone}: next at ${hour.format(new Date(next_fire_times[0] ?? ""))}`);

// Runs it now instead of waiting for the night.
const run = await client.jobs.trigger(report, {});
const { sales, total } = await run.unwrap();
console.log(`${sales} sales, ${total} in total`);
stop();
