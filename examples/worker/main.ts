import { createClient, createWorker, defineJob, sync } from "@millrace/sdk";

const client = createClient();

const resize = defineJob({
  id: "resize",
  queue: "images",
  run: async ({ file, widths }: { file: string; widths: number[] }, ctx) => {
    const made: string[] = [];
    for (const width of widths) made.push(await ctx.step(`width-${width}`, () => `${file}@${width}`));
    return { made };
  },
});
const caption = defineJob({
  id: "caption",
  queue: "images",
  run: ({ file }: { file: string }) => `A picture: ${file}`,
});

// One limit for both jobs together.
await client.queues.create({ name: "images", max_concurrency: 2 });
await sync(client, { jobs: [resize, caption], delivery: "pull" });

// No port is open: the worker asks the service for runs.
const worker = createWorker({ jobs: [resize, caption], queue: "images", client, concurrency: 10, name: "example" });
worker.start();

const resized = await client.jobs.trigger(resize, { file: "cat.jpg", widths: [320, 640] });
const captioned = await client.jobs.trigger(caption, { file: "cat.jpg" });
console.log((await resized.unwrap()).made.join(", "));
console.log(await captioned.unwrap());

await worker.stop({ grace: "10s" });
console.log("stopped");
