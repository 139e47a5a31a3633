import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { LiveState } from "../parts/state/live-dot.tsx";
import { maintainStream } from "./maintain-stream.ts";
import { electLeader, type LeaderMessage, openTabChannel, type TabMessage } from "./tab-channel.ts";
import { openTopicRegistry } from "./topic-registry.ts";

type Handlers = {
  onChange: (change: StreamChange) => void;
  onReset: (topics: string[]) => void;
  onState: (state: LiveState) => void;
};

/**
 * One stream per project for all tabs of the browser: the leader tab holds it, the others receive its events from the
 * leader.
 */
export function openSharedStream(project: string, ownTopics: () => string[], handlers: Handlers) {
  const tab = crypto.randomUUID?.() ?? String(Math.random());
  const closed = new AbortController();
  const registry = openTopicRegistry(ownTopics);
  let isLeader = false;
  let state: LiveState = "connecting";
  let lastEventId: string | undefined;

  const channel = openTabChannel(project, onMessage);
  const stream = maintainStream({
    project,
    registry,
    lastEventId: () => lastEventId,
    onOpen: () => broadcast({ kind: "state", state: "live", id: lastEventId }),
    onLost: () => broadcast({ kind: "state", state: "offline", id: lastEventId }),
    onId: (id) => {
      lastEventId = id;
    },
    onChange: (change) => broadcast({ kind: "change", change, id: lastEventId }),
    onReset: (topics) => broadcast({ kind: "reset", topics }),
  });
  electLeader(project, lead, closed.signal);
  addEventListener("pagehide", postBye);

  function lead(signal: AbortSignal): Promise<void> {
    isLeader = true;
    channel.post({ kind: "who", tab });
    return stream.run(signal);
  }

  /** Delivers stream events to this tab and to all others. */
  function broadcast(message: LeaderMessage): void {
    apply(message);
    channel.post(message);
  }

  /** The next leader resumes from this event id, so events between two leaders are not lost. */
  function apply(message: LeaderMessage): void {
    if (message.kind !== "reset") lastEventId = message.id ?? lastEventId;
    if (message.kind === "change") handlers.onChange(message.change);
    if (message.kind === "reset") handlers.onReset(message.topics);
    if (message.kind === "state") {
      state = message.state;
      handlers.onState(state);
    }
  }

  function onMessage(message: TabMessage): void {
    if (message.kind === "who") postTopics();
    else if (message.kind === "want" || message.kind === "bye") updateTopics(message);
    else if (message.kind !== "state" || !isLeader) apply(message);
  }

  function updateTopics(message: TabMessage & { kind: "want" | "bye" }): void {
    if (message.kind === "bye") registry.removeTab(message.tab);
    if (message.kind === "want") registry.setTopics(message.tab, message.topics);
    if (!isLeader) return;
    stream.topicsChanged();
    if (message.kind === "want") channel.post({ kind: "state", state, id: lastEventId });
  }

  function postTopics(): void {
    channel.post({ kind: "want", tab, topics: ownTopics() });
  }

  function postBye(): void {
    channel.post({ kind: "bye", tab });
  }

  function topicsChanged(): void {
    postTopics();
    if (isLeader) stream.topicsChanged();
  }

  function close(): void {
    postBye();
    removeEventListener("pagehide", postBye);
    closed.abort();
    channel.close();
  }

  return { topicsChanged, close };
}
