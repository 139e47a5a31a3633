import { type Client, createClient } from "../client/create-client.ts";
import type { AnyJob } from "../define-job.ts";
import type { EventTrigger } from "../generated/schemas.ts";
import type { Middleware } from "../serve/middleware.ts";
import type { AnyWorkflow } from "../workflow/workflow-types.ts";
import { autoSkip } from "./auto-skip.ts";
import { expectWaiting } from "./expect-waiting.ts";
import { startHost } from "./host-thread.ts";
import { type RunFn, runOf } from "./run.ts";
import { type Span, spanSecs } from "./span.ts";
import { type Endpoint, openEndpoint } from "./test-endpoint.ts";

/**
 * Options of `createTestServer`.
 *
 * @example
 * const options: TestServerOptions = { autoSkip: false };
 * const t = await createTestServer(options);
 */
export type TestServerOptions = {
  /** Skips time while you wait for the end of a run. Default: true. */
  autoSkip?: boolean;
  /** Runs around every attempt and every step, as in `serve`. */
  middleware?: readonly Middleware[];
  /** Path of the built server thread if it is not found in the package `millrace`. */
  hostFile?: string;
};

/**
 * The service under test, with its clock.
 *
 * @example
 * async function passTrial(t: TestServer) {
 *   await t.skip("30d");
 *   await t.settle();
 * }
 */
export type TestServer = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly signingSecret: string;
  readonly client: Client;
  /** Serves jobs and workflows, and creates or updates them in the service. */
  serve: (definitions: readonly (AnyJob | AnyWorkflow)[]) => Promise<void>;
  /** Serves a job or a workflow, starts it and waits until it ends. Serve the jobs of a workflow first. */
  run: RunFn;
  /** Lets time pass: `90s`, `24h`, `30d`. Everything that becomes due happens in order. */
  skip: (span: Span) => Promise<void>;
  /** Waits until nothing more can happen unless time passes. */
  settle: () => Promise<void>;
  /** The service's current time. */
  now: () => Promise<Date>;
  /** Makes the next calls of a job return 500 before its code runs. */
  failNext: (job: AnyJob | string, times?: number) => void;
  readonly events: {
    /** Returns the wait for a key once everything has settled, or throws an error that lists the waiting keys. */
    expectWaiting: (event: { key: string } | string) => Promise<EventTrigger>;
  };
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/**
 * Starts the real service with its own PostgreSQL and a clock that you control. Takes about a second; close it at the
 * end.
 *
 * @example
 * const t = await createTestServer();
 * await t.serve([sendMail]);
 * const end = await t.run(sendMail, { to: "ann@example.com" });
 * await t.close();
 */
export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const host = await startHost(options.hostFile);
  const { baseUrl, apiKey, projectId, signingSecret } = host;
  const skipper = autoSkip(host);
  const skipsTime = options.autoSkip ?? true;
  const client = createClient({ baseUrl, apiKey, ...(skipsTime && { fetch: skipper.fetch }) });
  const endpoint: Endpoint = await openEndpoint({ client, signingSecret, middleware: options.middleware ?? [] });
  const close = async () => {
    skipper.stop();
    await host.close();
    await endpoint.close();
  };
  return {
    ...{ baseUrl, apiKey, projectId, signingSecret, client },
    serve: endpoint.serve,
    run: runOf(client, endpoint),
    skip: (span) => host.pass(spanSecs(span)),
    settle: host.settle,
    now: async () => new Date(await host.now()),
    failNext: (job, times = 1) => endpoint.failNext(typeof job === "string" ? job : job.id, times),
    events: {
      expectWaiting: async (event) => {
        await host.settle();
        return expectWaiting(client, event);
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
