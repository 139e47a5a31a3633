import type { StreamChange } from "@millrace/contract/streams";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { LiveState } from "../parts/live-dot.tsx";
import { usePlace } from "../shell/place.ts";
import { type Hub, openHub } from "./hub.ts";

/** The hub of the project in the address. It stays while the tab does: pages come and go within a second. */
let open: { project: string; hub: Hub } | undefined;

function hubOf(project: string): Hub {
  if (open?.project !== project) {
    open?.hub.close();
    open = { project, hub: openHub(project) };
  }
  return open.hub;
}

/** At sign-out. */
export function closeLive(): void {
  open?.hub.close();
  open = undefined;
}

/**
 * Follows topics of the stream while the component is there. `onReset`: something may have been missed, read anew.
 * No topics: nothing is followed, as where the caller may not read.
 */
export function useLive(topics: string[], onChange: (change: StreamChange) => void, onReset: () => void): void {
  const { project } = usePlace();
  const latest = useRef({ onChange, onReset });
  latest.current = { onChange, onReset };
  const asked = topics.join(",");
  useEffect(() => {
    if (asked === "" || project === "") return;
    return hubOf(project).follow({
      topics: asked.split(","),
      onChange: (change) => latest.current.onChange(change),
      onReset: () => latest.current.onReset(),
    });
  }, [project, asked]);
}

export function useLiveState(): LiveState {
  const { project } = usePlace();
  return useSyncExternalStore(
    (onChange) => (project === "" ? () => {} : hubOf(project).onState(onChange)),
    () => (project === "" ? "connecting" : hubOf(project).state()),
  );
}
