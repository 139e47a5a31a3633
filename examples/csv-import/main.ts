import { defineJob } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

const CHUNK = 250;
const csv = ["name,city", ...Array.from({ length: 1_000 }, (_, n) => `customer ${n + 1},Porto`)].join("\n");
const customers = new Map<string, string>();
let hasCrashed = false;

/** Saves its position after each chunk. After a crash or a deploy, the next attempt continues there. */
const importCsv = defineJob({
  id: "import-csv",
  retry: { delays: ["1s"] },
  run: async ({ text }: { text: string }, ctx) => {
    const rows = text.split("\n").slice(1);
    let { done } = (await ctx.checkpoint.get<{ done: number }>()) ?? { done: 0 };
    if (done > 0) ctx.log.warn(`attempt ${ctx.run.attempt} continues after row ${done}`);
    while (done < rows.length) {
      const chunk = rows.slice(done, done + CHUNK);
      for (const row of chunk) {
        const [name = "", city = ""] = row.split(",");
        customers.set(name, city); // importing the same row twice is idempotent
      }
      done += chunk.length;
      await ctx.checkpoint.set({ done });
      await ctx.progress((100 * done) / rows.length, `${done} of ${rows.length} rows`);
      ctx.log.info(`${done} of ${rows.length} rows`);
      if (done === 500 && !hasCrashed) {
        hasCrashed = true;
        throw new Error("the worker crashed");
      }
    }
    return { imported: customers.size };
  },
});

const { client, stop } = await startWorker([importCsv]);
const run = await client.jobs.trigger(importCsv, { text: csv });
for await (const event of run.stream())
  if (event.type === "log") console.log(`${event.line.level}: ${event.line.message}`);

const { status, result, progress } = await run.get();
console.log(`${status} ${JSON.stringify(result)} at ${progress?.percent} %`);
stop();
