import { createServer } from "node:http";
import { createClient, defineJob, sync } from "@millrace/sdk";
import { serve } from "@millrace/sdk/node";

const port = 3000;
const endpointUrl = process.env.ENDPOINT_URL ?? `http://127.0.0.1:${port}/`;

const hello = defineJob({
  id: "hello",
  schedule: { cron: "* * * * *", timezone: "UTC" },
  run: async (_payload, ctx) => {
    ctx.log.info("hello from the demo worker");
    return { at: new Date().toISOString() };
  },
});

createServer(serve({ jobs: [hello] })).listen(port);
await sync(createClient(), { jobs: [hello], endpointUrl });
console.log(`serving hello at ${endpointUrl}`);
