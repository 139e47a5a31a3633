import type { Client } from "../client/create-client.ts";
import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import type { AnyWorkflow } from "../workflow/workflow-types.ts";

export type ServeOptions = {
  jobs: readonly AnyJob[];
  /** Told in the manifest, so that they are created with the jobs. */
  workflows?: readonly AnyWorkflow[];
  /** Tells where the service is. Else `baseUrl`, else MILLRACE_BASE_URL, else http://localhost:8787. */
  client?: Client | ClientCore;
  baseUrl?: string;
  /** The project's `whsec_…`, or several while it rotates. Else MILLRACE_SIGNING_SECRET, commas between several. */
  signingSecret?: string | readonly string[] | (() => string | readonly string[]);
  /** Seconds that a signature may be old. 300 unless said. */
  tolerance?: number;
  /** How often a running job says that it is alive, in milliseconds. 10,000 unless said. */
  heartbeatInterval?: number;
  /** Told what a job threw, and of requests that could not be served. console.error unless said. */
  onError?: (error: unknown) => void;
  /** In place of the global one, for calls to the service. */
  fetch?: typeof globalThis.fetch;
};

/** A request as every framework can hand it over. */
export type ServeRequest = {
  method: string;
  header: (name: string) => string | undefined;
  /** The bytes as they came. */
  body: () => Promise<Uint8Array>;
  /** Aborted when the other side hangs up. */
  signal?: AbortSignal | undefined;
};
