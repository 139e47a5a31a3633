import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { LiveState } from "../parts/state/live-dot.tsx";
import { usePlace } from "../shell/place/place.ts";
import { type Hub, openHub } from "./hub.ts";

/** The hub of the current project. It stays open across navigation, so that every page change does not reconnect. */
let open: { project: string; hub: Hub } | undefined;

function hubOf(project: string): Hub {
  if (open?.project !== project) {
    open?.hub.close();
    open = { project, hub: openHub(project) };
  }
  return open.hub;
}

/** Called at sign-out. */
export function closeLive(): void {
  open?.hub.close();
  open = undefined;
}

/**
 * Subscribes to stream topics while the component is mounted. `onReset`: events may have been missed, so refetch. Pass
 * no topics where the caller lacks the read scope.
 */
export function useLive(topics: string[], onChange: (change: StreamChange) => void, onReset: () => void): void {
  const { project } = usePlace();
  const latest = useRef({ onChange, onReset });
  latest.current = { onChange, onReset };
  const openTopics = topics.join(",");
  useEffect(() => {
    if (openTopics === "" || project === "") return;
    return hubOf(project).subscribe({
      topics: openTopics.split(","),
      onChange: (change) => latest.current.onChange(change),
      onReset: () => latest.current.onReset(),
    });
  }, [project, openTopics]);
}

export function useLiveState(): LiveState {
  const { project } = usePlace();
  return useSyncExternalStore(
    (onChange) => (project === "" ? () => {} : hubOf(project).onState(onChange)),
    () => (project === "" ? "connecting" : hubOf(project).state()),
  );
}
