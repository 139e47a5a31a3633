import { createServer } from "node:http";
import { createClient, sync } from "@millrace/sdk";
import { serve } from "@millrace/sdk/node";
import { greet, welcome } from "./jobs.ts";

const definitions = { jobs: [greet], workflows: [welcome] };
const port = Number(process.env.WORKER_PORT ?? 3000);

createServer(serve(definitions)).listen(port);
// Creates or updates the jobs and workflows in the service.
await sync(createClient(), { ...definitions, endpointUrl: `http://127.0.0.1:${port}/` });
console.log(`serving greet and welcome on port ${port}`);
