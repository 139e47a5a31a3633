import type { LiveState } from "../parts/live-dot.tsx";
import { type Follower, openFollowers } from "./followers.ts";
import { openSharedLine } from "./shared-line.ts";

export type Hub = {
  /** Subscribes to topics. Call the result to unsubscribe. */
  follow: (follower: Follower) => () => void;
  state: () => LiveState;
  onState: (listener: () => void) => () => void;
  /** Closes the stream, or hands it over to another tab. */
  close: () => void;
};

/** Connects the components of a tab to the project's stream and reports the connection state. */
export function openHub(project: string): Hub {
  const followers = openFollowers();
  const stateListeners = new Set<() => void>();
  let state: LiveState = "connecting";
  const line = openSharedLine(project, followers.topics, {
    onChange: followers.deliver,
    onReset: followers.reset,
    onState: (next) => {
      if (state === next) return;
      state = next;
      for (const listener of stateListeners) listener();
    },
  });
  return {
    follow: (follower) => {
      followers.add(follower);
      line.wantsChanged();
      return () => {
        followers.remove(follower);
        line.wantsChanged();
      };
    },
    state: () => state,
    onState: (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    close: line.close,
  };
}
