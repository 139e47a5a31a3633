import type { StreamChange } from "@millrace/contract/streams";
import type { LiveState } from "../parts/live-dot.tsx";
import { openStream } from "./open-stream.ts";
import { electLeader, openTalk, type Said, type Talk } from "./tab-talk.ts";

type LiveListener = { topics: string[]; onChange: (change: StreamChange) => void; onReset: () => void };

export type Hub = {
  /** Follows topics until the answer is called. */
  follow: (listener: LiveListener) => () => void;
  state: () => LiveState;
  onState: (listener: () => void) => () => void;
  /** Closes the stream, or leaves it to another tab. */
  close: () => void;
};

const MOST_TOPICS = 50;
const SETTLE_MS = 150; // a page mounts many followers at once
const WAITS_MS = [300, 700, 1_500, 3_000, 5_000];

/** One stream of a project for all tabs of the browser: this tab holds it, or listens to the one that does. */
export function openHub(project: string): Hub {
  const tab = crypto.randomUUID?.() ?? String(Math.random());
  const closed = new AbortController();
  const listeners = new Set<LiveListener>();
  const stateListeners = new Set<() => void>();
  const others = new Map<string, string[]>();
  const refused = new Set<string>();
  let state: LiveState = "connecting";
  let lastEventId: string | undefined;
  let isLeader = false;
  let restart = new AbortController();
  let asked = "";
  let settling: ReturnType<typeof setTimeout> | undefined;

  const talk: Talk = openTalk(project, hear);
  electLeader(project, lead, closed.signal);
  addEventListener("pagehide", bye);

  function own(): string[] {
    return [...new Set([...listeners].flatMap(({ topics }) => topics))];
  }

  /** Topics of all tabs; those of many objects first, since there is room for fifty. */
  function wanted(): string[] {
    const all = [...new Set([...own(), ...[...others.values()].flat()])].filter((topic) => !refused.has(topic));
    return all
      .sort((a, b) => Number(a.includes(":")) - Number(b.includes(":")) || a.localeCompare(b))
      .slice(0, MOST_TOPICS);
  }

  function hear(said: Said): void {
    if (said.kind === "want") others.set(said.tab, said.topics);
    if (said.kind === "bye") others.delete(said.tab);
    if (said.kind === "who") talk.say({ kind: "want", tab, topics: own() });
    if (said.kind === "change") deliver(said.change, said.id);
    if (said.kind === "reset") reset(said.topics);
    if (said.kind === "state" && !isLeader) setState(said.state);
    if (isLeader && (said.kind === "want" || said.kind === "bye")) reopenIfChanged();
    if (isLeader && said.kind === "want") talk.say({ kind: "state", state });
  }

  function deliver(change: StreamChange, id: string | undefined): void {
    lastEventId = id ?? lastEventId;
    for (const listener of listeners)
      if (listener.topics.some((topic) => change.topics.includes(topic))) listener.onChange(change);
  }

  function reset(topics: string[]): void {
    for (const listener of listeners)
      if (topics.length === 0 || listener.topics.some((topic) => topics.includes(topic))) listener.onReset();
  }

  function setState(next: LiveState): void {
    if (state === next) return;
    state = next;
    if (isLeader) talk.say({ kind: "state", state });
    for (const listener of stateListeners) listener();
  }

  async function lead(signal: AbortSignal): Promise<void> {
    isLeader = true;
    talk.say({ kind: "who", tab });
    await pause(SETTLE_MS, signal);
    for (let failures = 0; !signal.aborted; ) {
      const topics = wanted();
      asked = topics.join(",");
      restart = new AbortController();
      if (topics.length === 0) {
        await pause(60_000, AbortSignal.any([signal, restart.signal]));
        continue;
      }
      const end = await run(topics, AbortSignal.any([signal, restart.signal]), () => {
        failures = 0;
      });
      if (signal.aborted || restart.signal.aborted) continue;
      if (end.kind === "refused") refuse(topics);
      setState("offline");
      await pause(
        WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 5_000,
        AbortSignal.any([signal, restart.signal]),
      );
      failures += 1;
    }
  }

  function run(topics: string[], signal: AbortSignal, onOpen: () => void) {
    let id: string | undefined;
    return openStream({
      project,
      topics,
      lastEventId,
      signal,
      onOpen: () => {
        onOpen();
        setState("live");
      },
      onId: (given) => {
        id = given;
        lastEventId = given;
      },
      onChange: (change) => {
        deliver(change, id);
        talk.say({ kind: "change", change, id });
      },
      onReset: (reasons) => {
        reset(reasons);
        talk.say({ kind: "reset", topics: reasons });
      },
    });
  }

  /** An object that is gone, or not ours, must not keep the others from being told of. */
  function refuse(topics: string[]): void {
    const ofObjects = topics.filter((topic) => topic.includes(":"));
    for (const topic of ofObjects.length > 0 ? ofObjects : topics) refused.add(topic);
  }

  function reopenIfChanged(): void {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (wanted().join(",") !== asked) restart.abort();
    }, SETTLE_MS);
  }

  function wantsChanged(): void {
    talk.say({ kind: "want", tab, topics: own() });
    if (isLeader) reopenIfChanged();
  }

  function bye(): void {
    talk.say({ kind: "bye", tab });
  }

  return {
    follow: (listener) => {
      listeners.add(listener);
      wantsChanged();
      return () => {
        listeners.delete(listener);
        wantsChanged();
      };
    },
    state: () => state,
    onState: (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    close: () => {
      bye();
      removeEventListener("pagehide", bye);
      closed.abort();
      talk.close();
    },
  };
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
