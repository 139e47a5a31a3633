import { MillraceError, NetworkError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { parseEvents, type StreamEvent } from "./parse-events.ts";
import { pause } from "./pause.ts";
import { type QueryValue, send } from "./send.ts";

export type StreamOptions = {
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Goes on behind this event. */
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Opens the stream again when it breaks, or ends before what it follows has ended. True unless said. */
  reconnect?: boolean | undefined;
  /** Tells the last event: when the stream ends after it, it is not opened again. A terminal `status` unless said. */
  isLast?: ((event: StreamEvent) => boolean) | undefined;
};

const SILENCE_MS = 45_000; // three keepalives
const LONGEST_DELAY_MS = 10_000;
const FIRST_DELAY_MS = 250;

/** Server-sent events, over broken connections and restarts. Keepalives are not told. Ends with what it follows. */
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
        const told = { id: event.id, event: event.event, data: event.data };
        // Lines that were logged before the end may come behind it: the stream itself says when that was all.
        isOver ||= isLast(told);
        yield told;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isOver) return;
      if (!reconnect || !isBreak(error)) throw error;
    }
    if (isOver || !reconnect) return;
    await pause(Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures), signal);
  }
}

async function* openOnce(connection: Connection, path: string, options: StreamOptions) {
  const { query, lastEventId, signal } = options;
  const silence = new AbortController();
  const headers = { accept: "text/event-stream", ...options.headers };
  const asked = {
    query,
    timeout: 0,
    signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    headers: { ...headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) },
  };
  const response = await send(connection, { method: "GET", path, options: asked }, async (answer) => answer);
  if (!response.body) throw new NetworkError(`GET ${path}: the stream has no body`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectWord = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new NetworkError(`GET ${path}: the stream fell silent`)), SILENCE_MS);
  };
  try {
    expectWord();
    for await (const event of parseEvents(response.body as ReadableStream<Uint8Array>)) {
      expectWord();
      yield event;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** A broken body throws what the runtime pleases; a refusal is always one of ours. */
function isBreak(error: unknown): boolean {
  return !(error instanceof MillraceError) || error.retryable;
}

function isTerminalStatus({ event, data }: StreamEvent): boolean {
  // A workflow run is told with its steps beside it.
  const told = (data ?? {}) as { status?: string; run?: { status?: string } };
  const status = told.status ?? told.run?.status;
  return event === "status" && status !== undefined && TERMINAL.has(status);
}

const TERMINAL = new Set(["completed", "failed", "timed_out", "canceled", "received"]);
