import { MAX_RESULT_BYTES } from "@millrace/contract/runs/sdk-runs";
import { sql } from "../../../platform/database/sql.ts";
import { parseJson, readJson } from "../../../platform/json/parse-json.ts";
import { scanJson } from "../../../platform/json/scan-json.ts";
import { schemaIssues } from "../../../platform/json-schema/compile-json-schema.ts";
import type { Sent } from "../../../platform/outgoing/sent.ts";
import type { JobVersion } from "../create/job-version.ts";

/** The outcome of one dispatch. */
export type Outcome = { http_status?: number; duration_ms?: number } & (
  | { kind: "completed"; result_json: string }
  /** 202: the run continues by itself and reports through the SDK. */
  | { kind: "accepted" }
  | { kind: "failed"; error: RunError; retryable: boolean; retry_after_secs?: number }
  | { kind: "timed_out" }
  /** No connection to the endpoint could be made: nothing was sent, and no try is used. */
  | { kind: "unreachable"; error: RunError }
  /** The instance that dispatched it is lost. */
  | { kind: "lease_lost" }
  /** The worker that claimed it sent no heartbeat in time. */
  | { kind: "worker_lost" }
  /** An accepted run stopped sending heartbeats. */
  | { kind: "heartbeat_lost" }
  /** It was not dispatched after all, or this instance is stopping: it is queued again with its tries unchanged. */
  | { kind: "drained"; delay_secs?: number }
);

export type RunError = { code: string; message: string };

/** The newest lease of a run, as its holder read it: the holder of an older lease cannot settle. */
export type LeasedRun = {
  project_id: string;
  run_id: string;
  job_version_id: string;
  attempt: number;
  lease_token: string;
  tries_used: number;
  crash_count: number;
  max_attempts: number;
  slots: string[] | null;
};

/** A `LeasedRun`, of `run_queue q` and `runs r`. */
export const LEASED_RUN = sql`q.project_id, q.run_id, r.job_version_id, r.attempt, q.lease_token, r.tries_used, r.crash_count,
  r.max_attempts, q.slots`;

const RETRYABLE = new Set([408, 425, 429]);
const MAX_RETRY_AFTER_SECS = 3_600;
const MAX_EXCERPT_LENGTH = 2_000;
/**
 * A result is limited to a megabyte; the number of its values and the length of its names are up to the job. The last
 * value of a duplicate key wins, as in PostgreSQL: finished work must not fail because of it.
 */
const RESULT_LIMITS = { root: "result", nodes: 1_048_576, key_bytes: 1_048_576, unique_keys: false };

/** In characters: parsing and validating a longer result takes tens of milliseconds. */
const LARGE = 65_536;

/** What an endpoint's response means for the run. Yields only while it reads a large result. */
export function* readResponse(
  version: JobVersion,
  sent: Extract<Sent, { kind: "responded" }>,
): Generator<void, Outcome> {
  const response = { http_status: sent.status, duration_ms: sent.duration_ms };
  if (sent.status === 202) return { kind: "accepted", ...response };
  if (sent.status >= 200 && sent.status < 300) return { ...(yield* readResult(version, sent)), ...response };
  const retryable = RETRYABLE.has(sent.status) || sent.status >= 500;
  const wait = retryable ? retryAfterSecs(sent.headers["retry-after"]) : undefined;
  return {
    kind: "failed",
    retryable,
    error: {
      code: `http_${sent.status}`,
      message: `The endpoint responded with ${sent.status}${describeResponse(sent)}`,
    },
    ...(wait !== undefined && { retry_after_secs: wait }),
    ...response,
  };
}

/** What a dispatch without a response means. It is retried unless the address was refused. */
export function readFailure({ reason, message, was_sent, duration_ms }: Extract<Sent, { kind: "failed" }>): Outcome {
  const error = { code: `endpoint_${reason}`, message };
  if (reason === "aborted") return { kind: "drained", duration_ms };
  if (reason === "refused_address") return { kind: "failed", retryable: false, error, duration_ms };
  if (!was_sent && reason !== "protocol") {
    return { kind: "unreachable", error: reason === "timeout" ? NOT_CONNECTED : error, duration_ms };
  }
  if (reason === "timeout") return { kind: "timed_out", duration_ms };
  return { kind: "failed", retryable: true, error, duration_ms };
}

const NOT_CONNECTED = {
  code: "endpoint_connect",
  message: "The endpoint did not accept a connection within the run's timeout_secs.",
};

type Result = { kind: "completed"; result_json: string } | { kind: "failed"; error: RunError; retryable: boolean };

function* readResult(
  version: JobVersion,
  { body, truncated }: Extract<Sent, { kind: "responded" }>,
): Generator<void, Result> {
  if (truncated) return refused("result_too_large", "The result is larger than 1 MB.", false);
  const result = yield* toJson(body.toString("utf8").trim());
  if (!result.ok) return refused("result_rejected", result.message, false);
  if (version.result_schema && result.json.length > LARGE) yield;
  return matching(version, result.json, result.value);
}

function matching(version: JobVersion, result_json: string, value: unknown): Result {
  if (!version.result_schema) return { kind: "completed", result_json };
  const issues = schemaIssues(`${version.id}/result`, version.result_schema, value, "result");
  if (issues.length === 0) return { kind: "completed", result_json };
  const named = issues.map(({ location, message }) => `${location}: ${message}`).join("; ");
  return refused("result_invalid", `The result does not match the job's result_schema. ${named}`, true);
}

/** A result that a worker reports, as JSON. */
export function resultOutcome(version: JobVersion, value: unknown): Result {
  const result_json = JSON.stringify(value ?? null);
  if (Buffer.byteLength(result_json) > MAX_RESULT_BYTES)
    return refused("result_too_large", "The result is larger than 1 MB.", false);
  return matching(version, result_json, value ?? null);
}

type Json = { ok: true; json: string; value: unknown } | { ok: false; message: string };

/**
 * Text that is not JSON becomes a string. What PostgreSQL cannot store is replaced; a number it would round is refused.
 */
function* toJson(text: string): Generator<void, Json> {
  if (text === "") return { ok: true, json: "null", value: null };
  const parsed = text.length > LARGE ? yield* readJson(text, RESULT_LIMITS) : parseJson(text, RESULT_LIMITS);
  if (parsed.ok) return { ok: true, json: text, value: parsed.value };
  const { kind, location, message } = parsed.problem;
  if (kind === "malformed") return ofText(storable(text));
  // Numbers are checked in the original text, before invalid characters are replaced: serializing again would round
  // them.
  const rounded = kind === "text" ? scanJson(text, RESULT_LIMITS.root) : undefined;
  if (rounded?.kind === "number") return { ok: false, message: unstorable(rounded) };
  if (kind === "text") return yield* toJson(JSON.stringify(withStorableText(JSON.parse(text))));
  return { ok: false, message: unstorable({ location, message }) };
}

function ofText(value: string) {
  return { ok: true, json: JSON.stringify(value), value } as const;
}

function unstorable({ location, message }: { location: string; message: string }): string {
  return `The result cannot be stored: ${location} ${message}`;
}

function withStorableText(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(withStorableText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [storable(name), withStorableText(field)]));
}

function storable(text: string): string {
  return text.replaceAll("\u0000", "\ufffd").toWellFormed();
}

function refused(code: string, message: string, retryable: boolean): Result {
  return { kind: "failed", error: { code, message }, retryable };
}

/** A redirect has a location and seldom more: the job's owner must see that it was not followed. */
function describeResponse({ status, headers, body }: Extract<Sent, { kind: "responded" }>): string {
  const to = status < 400 ? headers.location : undefined;
  if (to === undefined) return excerpt(body);
  return `: a redirect to ${storable(to.slice(0, MAX_EXCERPT_LENGTH))}, which is not followed. Set the job's endpoint_url to it.`;
}

function excerpt(body: Buffer): string {
  const text = storable(body.subarray(0, MAX_EXCERPT_LENGTH).toString("utf8").trim());
  return text === "" ? "." : `: ${text}`;
}

/** Seconds, or an HTTP date compared with this machine's clock: only a hint, so a skewed clock does no harm. */
function retryAfterSecs(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  const secs = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isNaN(secs) ? undefined : Math.min(Math.max(0, secs), MAX_RETRY_AFTER_SECS);
}
