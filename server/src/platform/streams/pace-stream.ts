import type { EventStream } from "./event-stream.ts";

const MAX_CHARACTERS = 262_144; // written before checking whether the client reads them
const MAX_EVENTS = 250;
const MAX_WAITING = 1_000;
const TIMEOUT_MS = 1_000;

export type PacedEvent = { event: string; data: unknown; id?: string };
type PacedStream = {
  push: (events: PacedEvent[]) => void;
  /** Resolves when everything pushed has been sent, or the client has disconnected. */
  drained: () => Promise<void>;
  isIdle: () => boolean;
};

/**
 * Sends no faster than the client reads, so that a burst of thousands does not disconnect a client that reads. One that
 * does not read is disconnected when more than 1,000 events wait for it.
 */
export function paceStream(stream: EventStream): PacedStream {
  const waiting: PacedEvent[] = [];
  let sending: Promise<void> | undefined;
  let takenAt = 0;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      takenAt = performance.now();
      sendSome(stream, waiting);
      await stream.flushed();
    }
    sending = undefined;
  }

  return {
    push: (events) => {
      for (const event of events) waiting.push(event);
      const isStuck = sending !== undefined && performance.now() - takenAt > TIMEOUT_MS;
      if (isStuck && waiting.length > MAX_WAITING) {
        waiting.length = 0;
        return stream.cut();
      }
      sending ??= sendAll();
    },
    drained: async () => sending,
    isIdle: () => sending === undefined,
  };
}

function sendSome(stream: EventStream, waiting: PacedEvent[]): void {
  let [characters, events] = [0, 0];
  while (characters < MAX_CHARACTERS && events < MAX_EVENTS && events < waiting.length) {
    const next = waiting[events++];
    if (next) characters += stream.send(next.event, next.data, next.id);
  }
  waiting.splice(0, events);
}
