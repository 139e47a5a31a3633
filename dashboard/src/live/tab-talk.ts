import type { StreamChange } from "@millrace/contract/streams";
import type { LiveState } from "../parts/live-dot.tsx";

/** What the tab with a project's stream tells the others of the browser. `id`: how far it has read, for who follows it. */
export type News =
  | { kind: "change"; change: StreamChange; id: string | undefined }
  | { kind: "reset"; topics: string[] }
  | { kind: "state"; state: LiveState; id: string | undefined };

/** What tabs say to each other. `who`: a new leader asks what the others want. */
export type Said =
  | News
  | { kind: "want"; tab: string; topics: string[] }
  | { kind: "who"; tab: string }
  | { kind: "bye"; tab: string };

type Talk = { say: (said: Said) => void; close: () => void };

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
