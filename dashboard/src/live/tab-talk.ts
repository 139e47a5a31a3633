import type { StreamChange } from "@millrace/contract/streams";
import type { LiveState } from "../parts/live-dot.tsx";

/** What tabs of one browser tell each other about a project's stream. */
export type Said =
  | { kind: "want"; tab: string; topics: string[] }
  | { kind: "who"; tab: string }
  | { kind: "bye"; tab: string }
  | { kind: "change"; change: StreamChange; id: string | undefined }
  | { kind: "reset"; topics: string[] }
  | { kind: "state"; state: LiveState };

export type Talk = { say: (said: Said) => void; close: () => void };

export function openTalk(project: string, onSaid: (said: Said) => void): Talk {
  const channel = new BroadcastChannel(`millrace-live:${project}`);
  channel.onmessage = ({ data }: MessageEvent<Said>) => onSaid(data);
  let isClosed = false;
  return {
    // Followers leave after the hub was closed, at sign-out.
    say: (said) => {
      if (!isClosed) channel.postMessage(said);
    },
    close: () => {
      isClosed = true;
      channel.close();
    },
  };
}

/**
 * Runs `lead` in one tab at a time; another follows when it closes. On plain HTTP browsers have no locks: then each tab
 * has a stream of its own.
 */
export function electLeader(project: string, lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  if (!navigator.locks) return void lead(signal);
  navigator.locks.request(`millrace-live:${project}`, { signal }, () => lead(signal)).catch(() => {}); // closed while it waited
}
