import type { AddressInfo } from "node:net";
import { createClient, defineJob, sync } from "@millrace/sdk";
import { listen } from "@millrace/sdk/node";

const client = createClient();

const hello = defineJob({
  id: "hello",
  run: async ({ name }: { name: string }, ctx) => {
    ctx.log.info("greeting", { name });
    return { greeting: `Hello, ${name}!` };
  },
});

const server = await listen({ jobs: [hello], client });
const { port } = server.address() as AddressInfo;
await sync(client, { jobs: [hello], endpointUrl: `http://127.0.0.1:${port}/` });

const run = await client.jobs.trigger(hello, { name: "Ada" });
const { greeting } = await run.unwrap();
console.log(greeting);

const { status, attempt } = await run.get();
console.log(`${status} at attempt ${attempt}`);
server.close();
server.closeAllConnections();
