import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { readProblem } from "../api/problem.ts";
import { readEvents, type ServerEvent } from "./read-events.ts";

export type StreamEnd = { kind: "ended" } | { kind: "rejected"; status: number };

export type StreamHandlers = {
  onOpen: () => void;
  onChange: (change: StreamChange) => void;
  onReset: (topics: string[]) => void;
  onId: (id: string) => void;
};

type Stream = StreamHandlers & {
  project: string;
  topics: string[];
  lastEventId: string | undefined;
  signal: AbortSignal;
};

const SILENCE_MS = 40_000; // the service sends `keepalive` every 15 seconds

/** One connection of the stream. Uses fetch, because EventSource cannot send the project header. */
export async function openStream(stream: Stream): Promise<StreamEnd> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const onBytes = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
  };
  try {
    const response = await fetch(`/v1/stream?topics=${encodeURIComponent(stream.topics.join(","))}`, {
      signal: AbortSignal.any([stream.signal, silence.signal]),
      headers: { "x-project-id": stream.project, ...(stream.lastEventId && { "last-event-id": stream.lastEventId }) },
    });
    if (!response.ok || !response.body) return await rejected(response);
    await readEvents(response.body, (event) => broadcast(stream, event), onBytes);
  } catch {
    // The service is down or the page aborted the request; the hub decides what to do.
  } finally {
    clearTimeout(timer);
  }
  return { kind: "ended" };
}

async function rejected(response: Response): Promise<StreamEnd> {
  const { status } = response;
  if (status === 401) dispatchEvent(new CustomEvent("signed-out", { detail: await readProblem(response) }));
  return status >= 500 || status === 429 ? { kind: "ended" } : { kind: "rejected", status };
}

function broadcast({ onOpen, onChange, onReset, onId }: Stream, { event, data, id }: ServerEvent): void {
  if (id) onId(id);
  if (event === "open") onOpen();
  if (event === "change") onChange(JSON.parse(data));
  if (event === "reset") onReset(topicsOf(data));
}

function topicsOf(data: string): string[] {
  try {
    return JSON.parse(data).topics ?? [];
  } catch {
    return [];
  }
}
