import { isPageLoading } from "../api/page-loading.ts";
import { openStream, type StreamHandlers } from "./open-stream.ts";
import type { TopicRegistry } from "./topic-registry.ts";

type StreamOptions = StreamHandlers & {
  project: string;
  registry: TopicRegistry;
  lastEventId: () => string | undefined;
  onLost: () => void;
};

const DEBOUNCE_MS = 150; // a page mounts many subscribers at once
/** The code of a page loads after the sidebar; each further stream would repeat what cannot be resumed. */
const MAX_FIRST_WAIT_MS = 5_000;
const IDLE_MS = 60_000;
const BACKOFF_MS = [300, 700, 1_500, 3_000, 5_000];

/** Keeps a stream of the registered topics open: reopens it when it breaks and when the topics change. */
export function maintainStream({ project, registry, lastEventId, onLost, ...handlers }: StreamOptions) {
  let openTopics = "";
  let changedAt = 0;
  let reopen = new AbortController();
  let debounceTimer: ReturnType<typeof setTimeout> | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    await firstTopics(signal);
    for (let failures = 0; !signal.aborted; ) {
      const topics = registry.wanted();
      openTopics = topics.join(",");
      reopen = new AbortController();
      const stop = AbortSignal.any([signal, reopen.signal]);
      if (topics.length === 0) {
        await pause(IDLE_MS, stop);
        continue;
      }
      const onOpen = () => {
        failures = 0;
        handlers.onOpen();
      };
      const end = await openStream({ ...handlers, onOpen, project, topics, lastEventId: lastEventId(), signal: stop });
      if (stop.aborted) continue;
      if (end.kind === "rejected") registry.reject(topics);
      onLost();
      await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 5_000, stop);
      failures += 1;
    }
  }

  async function firstTopics(signal: AbortSignal): Promise<void> {
    const latestAt = performance.now() + MAX_FIRST_WAIT_MS;
    do await pause(DEBOUNCE_MS, signal);
    while (
      !signal.aborted &&
      performance.now() < latestAt &&
      (isPageLoading() || performance.now() < changedAt + DEBOUNCE_MS)
    );
  }

  function topicsChanged(): void {
    changedAt = performance.now();
    clearTimeout(debounceTimer);
    debounceTimer = setTimeout(() => {
      if (registry.wanted().join(",") !== openTopics) reopen.abort();
    }, DEBOUNCE_MS);
  }

  return { run, topicsChanged };
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
