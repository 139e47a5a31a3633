import type { Dispatcher } from "undici";
import type { AbortHandle } from "./abort-handle.ts";
import { Exchange } from "./exchange.ts";
import type { Outgoing } from "./guarded-agent.ts";
import type { FailureReason, Sent } from "./sent.ts";

export type OutgoingRequest = {
  method: Dispatcher.HttpMethod;
  url: string;
  /** By name, or names and values alternating: undici accepts both, and a list is cheaper. */
  headers: Record<string, string> | readonly string[];
  body?: string | Buffer;
  /** For the whole exchange, from the call to the last byte. */
  timeout_ms: number;
  /** 1 MiB when absent. */
  max_response_bytes?: number;
  /** When aborted, the exchange ends as `aborted`. */
  abortHandle?: AbortHandle;
};

/** Sends one request and returns its outcome. Never rejects, follows no redirect, decompresses nothing. */
export function sendRequest(outgoing: Outgoing, request: OutgoingRequest): Promise<Sent> {
  const { method, headers, body = null, timeout_ms, max_response_bytes = MAX_RESPONSE_BYTES, abortHandle } = request;
  const target = outgoing.targetOf(request.url);
  if (!target.ok) return failAtOnce("refused_address", target.reason);
  if (abortHandle?.isAborted) return failAtOnce("aborted", "The request was aborted.");
  if (namesHost(headers)) return failAtOnce("protocol", "The header host is set from the URL.");

  const { origin, path } = target;
  return new Promise((resolve) => {
    const exchange = new Exchange({ timeout_ms, max_response_bytes, abortHandle }, resolve);
    outgoing.dispatcher.dispatch({ origin, path, method, headers: headers as string[], body }, exchange);
  });
}

const MAX_RESPONSE_BYTES = 1024 * 1024;

function failAtOnce(reason: FailureReason, message: string): Promise<Sent> {
  return Promise.resolve({ kind: "failed", reason, message, was_sent: false, duration_ms: 0 });
}

function namesHost(headers: OutgoingRequest["headers"]): boolean {
  if (!isList(headers)) return Object.keys(headers).some(isHostHeader);
  for (let at = 0; at < headers.length; at += 2) if (isHostHeader(headers[at] ?? "")) return true;
  return false;
}

function isList(headers: OutgoingRequest["headers"]): headers is readonly string[] {
  return Array.isArray(headers);
}

/** undici would also use it as the TLS server name. */
function isHostHeader(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === "host";
}
