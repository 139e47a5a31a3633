import { coreOver } from "../client/create-core.ts";
import { connectionOf } from "../client/http/connection.ts";
import { MillraceError, SignatureError } from "../errors.ts";
import type { Dispatch } from "./dispatch.ts";
import { manifestOf } from "./manifest.ts";
import { reportFailure, respond, type ServeResponse } from "./report-failure.ts";
import { runDispatch } from "./run-dispatch.ts";
import type { ServeOptions, ServeRequest } from "./serve-options.ts";
import { verifySignature } from "./verify-signature.ts";

/**
 * Handles signed dispatches (POST) and manifest requests (GET). All adapters wrap this function.
 *
 * @example
 * const handle = createHandler({ jobs: [sendMail] });
 * const { status, body } = await handle({
 *   method: "POST",
 *   header: (name) => headers.get(name) ?? undefined,
 *   body: async () => new TextEncoder().encode(rawBody),
 * });
 */
export function createHandler(options: ServeOptions): (request: ServeRequest) => Promise<ServeResponse> {
  const onError = options.onError ?? ((error: unknown) => console.error(error));
  return async (request) => {
    try {
      if (request.method !== "GET" && request.method !== "POST")
        return refuse(405, "method_not_allowed", "Use GET or POST.");
      const body = request.method === "GET" ? new Uint8Array() : await request.body();
      const [timestamp, signature] = [request.header("x-svc-timestamp"), request.header("x-svc-signature")];
      await verifySignature(secretsOf(options), { timestamp, signature, body }, options);
      if (request.method === "GET") return respond(200, manifestOf(options));
      return await serveDispatch(options, onError, request, JSON.parse(new TextDecoder().decode(body)));
    } catch (error) {
      onError(error);
      if (error instanceof SignatureError && error.reason !== "bad_secret")
        return refuse(401, error.code, error.message);
      // An error on our side, so the run should be retried.
      return refuse(500, error instanceof MillraceError ? error.code : "endpoint_error", String(error));
    }
  };
}

async function serveDispatch(
  options: ServeOptions,
  onError: (error: unknown) => void,
  request: ServeRequest,
  dispatch: Dispatch,
): Promise<ServeResponse> {
  const { headers: _, ...reached } = connectionOf({
    baseUrl: baseUrlOf(options),
    ...(options.fetch && { fetch: options.fetch }),
  });
  const core = coreOver({ ...reached, headers: {} });
  const token = request.header("x-svc-run-token") ?? "";
  const job = options.jobs.find(({ id }) => id === dispatch.job_slug);
  // Another version of this endpoint may serve it, so the run should be retried.
  if (!job) return reportFailure({ core, runId: dispatch.run_id, token }, notServed(options, dispatch.job_slug));
  const { signal: connection } = request;
  return runDispatch({
    core,
    job,
    dispatch,
    token,
    header: request.header,
    middleware: options.middleware ?? [],
    connection,
    onError,
    heartbeatMs: options.heartbeatIntervalMs ?? 10_000,
  });
}

function baseUrlOf({ client, baseUrl }: ServeOptions): string {
  return baseUrl ?? client?.baseUrl ?? connectionOf({}).baseUrl;
}

function notServed({ jobs }: ServeOptions, slug: string): MillraceError {
  const served = jobs.map(({ id }) => id).join(", ") || "none";
  return new MillraceError("job_not_served", `This endpoint does not serve the job ${slug}. It has: ${served}.`);
}

function secretsOf({ signingSecret }: ServeOptions): string[] {
  const given = typeof signingSecret === "function" ? signingSecret() : signingSecret;
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const secrets = [given ?? process?.env?.MILLRACE_SIGNING_SECRET ?? []].flat().flatMap((each) => each.split(","));
  const found = secrets.map((secret) => secret.trim()).filter((secret) => secret !== "");
  if (found.length > 0) return found;
  throw new SignatureError(
    "bad_secret",
    "serve() needs signingSecret or MILLRACE_SIGNING_SECRET: the project's whsec_… secret",
  );
}

function refuse(status: number, code: string, message: string): ServeResponse {
  return respond(status, { error: message, code });
}
