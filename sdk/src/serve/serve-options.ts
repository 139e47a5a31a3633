import type { Client } from "../client/create-client.ts";
import type { ClientCore } from "../client/create-core.ts";
import type { AnyJob } from "../define-job.ts";
import type { AnyWorkflow } from "../workflow/workflow-types.ts";
import type { Middleware } from "./middleware.ts";

/**
 * Options of `serve`, the same for every framework.
 *
 * @example
 * const options: ServeOptions = {
 *   jobs: [sendMail],
 *   workflows: [order],
 *   signingSecret: process.env.MILLRACE_SIGNING_SECRET ?? "",
 *   onError: (error) => console.error(error),
 * };
 */
export type ServeOptions = {
  jobs: readonly AnyJob[];
  /** Included in the manifest, so that they are created with the jobs. */
  workflows?: readonly AnyWorkflow[];
  /** Client whose service URL is used. Default: `baseUrl`, MILLRACE_BASE_URL, or http://localhost:8787. */
  client?: Client | ClientCore;
  baseUrl?: string;
  /**
   * The project's `whsec_…` secret, or several during rotation. Default: MILLRACE_SIGNING_SECRET, where several
   * are separated by commas.
   */
  signingSecret?: string | readonly string[] | (() => string | readonly string[]);
  /** Maximum age of a signature in seconds. Default: 300. */
  toleranceSecs?: number;
  /** Interval of heartbeats in milliseconds. Default: 10,000. */
  heartbeatIntervalMs?: number;
  /** Called with errors thrown by jobs, and for requests that could not be handled. Default: console.error. */
  onError?: (error: unknown) => void;
  /** Runs around every attempt and every step; the first is the outermost. */
  middleware?: readonly Middleware[];
  /** Replaces the global fetch for calls to the service. */
  fetch?: typeof globalThis.fetch;
};

/**
 * A framework-independent request.
 *
 * @example
 * const request: ServeRequest = {
 *   method: "POST",
 *   header: (name) => headers.get(name) ?? undefined,
 *   body: async () => new TextEncoder().encode(rawBody),
 * };
 */
export type ServeRequest = {
  method: string;
  header: (name: string) => string | undefined;
  /** Reads the raw bytes of the body. */
  body: () => Promise<Uint8Array>;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined;
};
