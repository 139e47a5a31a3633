import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { LiveState } from "../parts/state/live-dot.tsx";

/** Messages from the leader tab to the others. `id`: the last event read, for the next leader. */
export type LeaderMessage =
  | { kind: "change"; change: StreamChange; id: string | undefined }
  | { kind: "reset"; topics: string[] }
  | { kind: "state"; state: LiveState; id: string | undefined };

/** Messages between tabs. `who`: a new leader asks the other tabs for their topics. */
export type TabMessage =
  | LeaderMessage
  | { kind: "want"; tab: string; topics: string[] }
  | { kind: "who"; tab: string }
  | { kind: "bye"; tab: string };

type TabChannel = { post: (message: TabMessage) => void; close: () => void };

export function openTabChannel(project: string, onMessage: (message: TabMessage) => void): TabChannel {
  const channel = new BroadcastChannel(`millrace-live:${project}`);
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data);
  let isClosed = false;
  return {
    // Subscribers unsubscribe after the hub was closed at sign-out.
    post: (message) => {
      if (!isClosed) channel.postMessage(message);
    },
    close: () => {
      isClosed = true;
      channel.close();
    },
  };
}

/**
 * Runs `lead` in one tab at a time; when that tab closes, another takes over. The Web Locks
 * API needs HTTPS or localhost; without it, every tab opens its own stream.
 */
export function electLeader(project: string, lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  if (!navigator.locks) return void lead(signal);
  navigator.locks.request(`millrace-live:${project}`, { signal }, () => lead(signal)).catch(() => {}); // closed while waiting for the lock
}
