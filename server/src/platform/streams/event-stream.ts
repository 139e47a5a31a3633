import type { ServerResponse } from "node:http";
import type { Ctx } from "../context.ts";
import { groupBy } from "../group-by.ts";
import { perService } from "../service-state.ts";

const KEEPALIVE_EVERY_MS = 15_000;
const CHECK_EVERY_MS = 7_500; // a provider confirms a person's access every few seconds: their streams end within 15 s
const MAX_UNSENT_BYTES = 1_048_576;
const MAX_UNSENT_EVENTS = 1_000;
const CLOSE_TIMEOUT_MS = 10_000; // for a client to read the rest before the end
const CLOSE_TIMEOUT_AT_STOP_MS = 500;
const KEEPALIVE = "event: keepalive\ndata: {}\n\n";

export type EventStream = {
  /** With an id the client can resume after this event (`Last-Event-ID`). Returns its length. */
  send: (event: string, data: unknown, id?: string) => number;
  /** An id alone: the resume position of a client that has received nothing for a while. */
  mark: (id: string) => void;
  end: () => void;
  /** Disconnects a client that does not read. */
  cut: () => void;
  /** Resolves when the client has read everything sent, or has disconnected: for sources with much to send at once. */
  flushed: () => Promise<void>;
};

/** The result of a route with `streams: true`: starts once the client listens, and returns a function that stops it. */
export type StreamSource = (stream: EventStream) => () => void;

/** The stream's credential. Streams of the same one are checked together. */
export type StreamHolder = { name: string; isAuthorized: () => Promise<boolean> };

type OpenStream = {
  write: (text: string) => void;
  end: (withinMs: number) => void;
  flushed: EventStream["flushed"];
  holder: StreamHolder;
};

/** All streams of a service share two timers, and the memory for what their clients have not read. */
const streamsOf = perService(() => ({
  open: new Set<OpenStream>(),
  unsentBytes: 0,
  timers: [] as NodeJS.Timeout[],
  areClosed: false,
}));

/** Server-sent events over a response whose headers are sent. */
export function openStream(ctx: Ctx, response: ServerResponse, holder: StreamHolder, source: StreamSource): void {
  // The client disconnected while the request was processed.
  if (response.destroyed) return;
  const streams = streamsOf(ctx);
  const stream = { ...streamOver(ctx, response), holder };
  streams.open.add(stream);
  if (streams.timers.length === 0) streams.timers = startTimers(ctx);
  const stop = source({
    send: (event, data, id) => {
      const text = `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      stream.write(text);
      return text.length;
    },
    mark: (id) => stream.write(`id: ${id}\n\n`),
    end: () => stream.end(CLOSE_TIMEOUT_MS),
    cut: () => void response.destroy(),
    flushed: stream.flushed,
  });
  response.once("close", () => {
    stop();
    streams.open.delete(stream);
    if (streams.open.size > 0) return;
    for (const timer of streams.timers) clearInterval(timer);
    streams.timers = [];
  });
}

/**
 * A client that does not read is disconnected. Only bytes that were unsent before
 * an event count, so a single large event does not disconnect it.
 */
function streamOver(ctx: Ctx, response: ServerResponse): Omit<OpenStream, "holder"> {
  const streams = streamsOf(ctx);
  let unsent = 0;
  let unsentBytes = 0;
  let isOver = false;
  const waiting = new Set<() => void>();
  const resolveFlushed = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  const count = (bytes: number) => {
    unsentBytes += bytes;
    streams.unsentBytes += bytes;
  };
  response.once("close", () => {
    isOver = true;
    count(-unsentBytes);
    resolveFlushed();
  });
  // A caller may open any number of streams, each of which would hold its megabyte.
  const { max_unread_stream_bytes: max } = ctx.config;
  const exceedsShare = () => streams.unsentBytes > max && unsentBytes > max / streams.open.size;
  response.on("error", (error) => ctx.log.debug({ reason: error.message }, "a stream broke"));
  return {
    write: (text) => {
      if (isOver) return;
      isOver = response.writableLength >= MAX_UNSENT_BYTES || unsent >= MAX_UNSENT_EVENTS || exceedsShare();
      if (isOver) return void response.destroy();
      unsent++;
      count(text.length);
      response.write(text, () => {
        if (!response.destroyed) count(-text.length);
        if (--unsent === 0) resolveFlushed();
      });
    },
    end: (withinMs) => {
      if (!isOver) response.end();
      isOver = true;
      const giveUp = setTimeout(() => response.destroy(), withinMs).unref();
      response.once("close", () => clearTimeout(giveUp));
    },
    flushed: () => new Promise((resolve) => (isOver || unsent === 0 ? resolve() : void waiting.add(resolve))),
  };
}

function startTimers(ctx: Ctx): NodeJS.Timeout[] {
  return [
    setInterval(() => sendKeepalives(ctx), KEEPALIVE_EVERY_MS).unref(),
    setInterval(() => void endRevoked(ctx), CHECK_EVERY_MS).unref(),
  ];
}

/** Sends a keep-alive on every open stream. */
export function sendKeepalives(ctx: Ctx): void {
  for (const { write } of streamsOf(ctx).open) write(KEEPALIVE);
}

/** Ends streams whose key was revoked, or whose session or membership has ended. */
export async function endRevoked(ctx: Ctx): Promise<void> {
  for (const [, streams] of groupBy([...streamsOf(ctx).open], ({ holder }) => holder.name)) {
    // If the credential cannot be checked now, its streams stay open.
    const isAuthorized = await streams[0]?.holder.isAuthorized().catch(() => true);
    if (!isAuthorized) for (const { end } of streams) end(CLOSE_TIMEOUT_MS);
  }
}

/** Ends all of them, so that shutdown is not delayed. Clients reconnect to another instance. */
export function closeStreams(ctx: Ctx): void {
  const streams = streamsOf(ctx);
  streams.areClosed = true;
  for (const { end } of streams.open) end(CLOSE_TIMEOUT_AT_STOP_MS);
}

export function areStreamsClosed(ctx: Ctx): boolean {
  return streamsOf(ctx).areClosed;
}
