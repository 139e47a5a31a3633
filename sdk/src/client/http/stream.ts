import { MillraceError, NetworkError } from "../../errors.ts";
import type { Connection } from "./connection.ts";
import { parseEvents, type StreamEvent } from "./parse-events.ts";
import { pause } from "./pause.ts";
import { type QueryValue, send } from "./send.ts";

/**
 * Options of `client.stream`.
 *
 * @example
 * const options: StreamOptions = { query: { topics: "runs" }, reconnect: false };
 * for await (const { event, data } of client.stream("/v1/stream", options)) console.log(event, data);
 */
export type StreamOptions = {
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Continue after this event. */
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Reconnect if the connection breaks or closes before the followed object has ended. Default: true. */
  reconnect?: boolean | undefined;
  /** Recognizes the last event, after which the stream is not reopened. Default: a terminal `status`. */
  isLast?: ((event: StreamEvent) => boolean) | undefined;
};

const SILENCE_MS = 45_000; // three keepalive intervals
const MAX_DELAY_MS = 10_000;
const FIRST_DELAY_MS = 250;

/**
 * Streams server-sent events across broken connections and restarts, without keepalives, until the followed object
 * ends.
 */
export async function* stream(
  connection: Connection,
  path: string,
  options: StreamOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const { reconnect = true, isLast = isTerminalStatus, signal } = options;
  let lastEventId = options.lastEventId;
  let isOver = false;
  for (let failures = 0; ; failures++) {
    try {
      for await (const event of openOnce(connection, path, { ...options, lastEventId })) {
        failures = 0;
        if (event.id !== undefined) lastEventId = event.id;
        if (event.event === undefined || event.event === "keepalive") continue;
        const received = { id: event.id, event: event.event, data: event.data };
        // Log lines may arrive after the final status; the server closes the stream when all were sent.
        isOver ||= isLast(received);
        yield received;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isOver) return;
      if (!reconnect || !isBreak(error)) throw error;
    }
    if (isOver || !reconnect) return;
    await pause(Math.random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures), signal);
  }
}

async function* openOnce(connection: Connection, path: string, options: StreamOptions) {
  const { query, lastEventId, signal } = options;
  const silence = new AbortController();
  const headers = { accept: "text/event-stream", ...options.headers };
  const request = {
    query,
    timeoutMs: 0,
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    headers: { ...headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
  };
  const response = await send(connection, { method: "GET", path, options: request }, async (opened) => opened);
  if (!response.body) throw new NetworkError(`GET ${path}: the stream has no body`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const restartTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new NetworkError(`GET ${path}: the stream timed out`)), SILENCE_MS);
  };
  try {
    restartTimer();
    for await (const event of parseEvents(response.body as ReadableStream<Uint8Array>)) {
      restartTimer();
      yield event;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A broken body throws a runtime-specific error; an error response is always a MillraceError. */
function isBreak(error: unknown): boolean {
  return !(error instanceof MillraceError) || error.retryable;
}

function isTerminalStatus({ event, data }: StreamEvent): boolean {
  // The state of a workflow run includes its steps.
  const state = (data ?? {}) as { status?: string; run?: { status?: string } };
  const status = state.status ?? state.run?.status;
  return event === "status" && status !== undefined && TERMINAL.has(status);
}

const TERMINAL = new Set(["completed", "failed", "timed_out", "canceled", "received"]);
