import { openStream, type StreamSigns } from "./open-stream.ts";
import type { TopicBook } from "./topic-book.ts";

type Kept = StreamSigns & {
  project: string;
  book: TopicBook;
  lastEventId: () => string | undefined;
  onLost: () => void;
};

const SETTLE_MS = 150; // a page mounts many subscribers at once
const IDLE_MS = 60_000;
const WAITS_MS = [300, 700, 1_500, 3_000, 5_000];

/** Keeps a stream of the registered topics open: reopens it when it breaks and when the topics change. */
export function keepStream({ project, book, lastEventId, onLost, ...signs }: Kept) {
  let asked = "";
  let reopen = new AbortController();
  let settling: ReturnType<typeof setTimeout> | undefined;

  async function keep(signal: AbortSignal): Promise<void> {
    await pause(SETTLE_MS, signal);
    for (let failures = 0; !signal.aborted; ) {
      const topics = book.wanted();
      asked = topics.join(",");
      reopen = new AbortController();
      const stop = AbortSignal.any([signal, reopen.signal]);
      if (topics.length === 0) {
        await pause(IDLE_MS, stop);
        continue;
      }
      const onOpen = () => {
        failures = 0;
        signs.onOpen();
      };
      const end = await openStream({ ...signs, onOpen, project, topics, lastEventId: lastEventId(), signal: stop });
      if (stop.aborted) continue;
      if (end.kind === "refused") book.refuse(topics);
      onLost();
      await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 5_000, stop);
      failures += 1;
    }
  }

  function bookChanged(): void {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (book.wanted().join(",") !== asked) reopen.abort();
    }, SETTLE_MS);
  }

  return { keep, bookChanged };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
