import type { AddressInfo } from "node:net";
import { type AnyJob, type AnyWorkflow, type Client, createClient, sync } from "@millrace/sdk";
import { listen } from "@millrace/sdk/node";

export type Worker = { client: Client; stop: () => void };

/**
 * Serves jobs on a free port, and registers them and the workflows in the service. Reads MILLRACE_BASE_URL,
 * MILLRACE_API_KEY and MILLRACE_SIGNING_SECRET, which `npm start` prints.
 */
export async function startWorker(jobs: AnyJob[], workflows: AnyWorkflow[] = []): Promise<Worker> {
  const client = createClient();
  // Runs report the errors of jobs; your own program would log them here.
  const server = await listen({ jobs, workflows, client, onError: () => {} });
  const { port } = server.address() as AddressInfo;
  await sync(client, { jobs, workflows, endpointUrl: `http://127.0.0.1:${port}/` });
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { client, stop };
}
