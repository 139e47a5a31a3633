import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readNode, writeNode } from "../adapters/node-request.ts";
import type { Client } from "../client/create-client.ts";
import type { AnyJob } from "../define-job.ts";
import { SignatureError } from "../errors.ts";
import { SuspendSwallowedError } from "../job-errors.ts";
import { createHandler } from "../serve/create-handler.ts";
import type { Middleware } from "../serve/middleware.ts";
import { respond } from "../serve/report-failure.ts";
import { sync } from "../sync.ts";
import type { AnyWorkflow } from "../workflow/workflow-types.ts";

export type Endpoint = {
  serve: (definitions: readonly (AnyJob | AnyWorkflow)[]) => Promise<void>;
  failNext: (slug: string, times: number) => void;
  close: () => Promise<void>;
};

/** The endpoint of the code under test on a free port, with everything served so far. */
export async function openEndpoint({
  client,
  signingSecret,
  middleware,
}: {
  client: Client;
  signingSecret: string;
  middleware: readonly Middleware[];
}): Promise<Endpoint> {
  const jobs = new Map<string, AnyJob>();
  const workflows = new Map<string, AnyWorkflow>();
  const failures = new Map<string, number>();
  const handle = createHandler({
    get jobs() {
      return [...jobs.values()];
    },
    client,
    signingSecret,
    middleware,
    // The service signs with its own time, which may be months away from ours.
    toleranceSecs: Number.POSITIVE_INFINITY,
    onError: report,
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const incoming = readNode(request, response);
    const body = await incoming.body();
    const slug = slugOf(body);
    const left = failures.get(slug) ?? 0;
    failures.set(slug, Math.max(0, left - 1));
    if (left > 0) return writeNode(response, respond(500, { error: "failNext" }));
    writeNode(response, await handle({ ...incoming, body: async () => body }));
  }

  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref(); // lets the process exit if a test forgot to close it
  const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    serve: async (definitions) => {
      const fresh = definitions.filter((each) => jobs.get(each.id) !== each && workflows.get(each.id) !== each);
      const [newJobs, newWorkflows] = [fresh.filter(isJob), fresh.filter((each) => !isJob(each))];
      for (const job of newJobs) jobs.set(job.id, job);
      if (fresh.length > 0)
        await sync(client, { jobs: newJobs, workflows: newWorkflows as AnyWorkflow[], endpointUrl });
      for (const workflow of newWorkflows) workflows.set(workflow.id, workflow as AnyWorkflow);
    },
    failNext: (slug, times) => void failures.set(slug, (failures.get(slug) ?? 0) + times),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Errors of jobs are reported by their runs; unexpected errors are reported here. */
function report(error: unknown): void {
  if (error instanceof SuspendSwallowedError || error instanceof SignatureError) console.error(error);
}

function isJob(definition: AnyJob | AnyWorkflow): definition is AnyJob {
  return definition.kind === "job";
}

function slugOf(body: Uint8Array): string {
  try {
    return String((JSON.parse(new TextDecoder().decode(body)) as { job_slug?: string }).job_slug);
  } catch {
    return "";
  }
}
