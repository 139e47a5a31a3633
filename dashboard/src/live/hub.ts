import type { LiveState } from "../parts/state/live-dot.tsx";
import { openSharedStream } from "./shared-stream.ts";
import { openSubscribers, type Subscriber } from "./subscribers.ts";

export type Hub = {
  /** Subscribes to topics. Call the result to unsubscribe. */
  subscribe: (subscriber: Subscriber) => () => void;
  state: () => LiveState;
  onState: (listener: () => void) => () => void;
  /** Closes the stream, or hands it over to another tab. */
  close: () => void;
};

/** Connects the components of a tab to the project's stream and reports the connection state. */
export function openHub(project: string): Hub {
  const subscribers = openSubscribers();
  const stateListeners = new Set<() => void>();
  let state: LiveState = "connecting";
  const stream = openSharedStream(project, subscribers.topics, {
    onChange: subscribers.deliver,
    onReset: subscribers.reset,
    onState: (next) => {
      if (state === next) return;
      state = next;
      for (const listener of stateListeners) listener();
    },
  });
  return {
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      stream.topicsChanged();
      return () => {
        subscribers.remove(subscriber);
        stream.topicsChanged();
      };
    },
    state: () => state,
    onState: (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    close: stream.close,
  };
}
