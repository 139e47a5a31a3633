import type { EventTrigger } from "@millrace/contract/events";
import type { StreamChange } from "@millrace/contract/streams";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";

type Filter = { status: string; key: string; source: string };

const GATHER_MS = 1_000;

/** The events of a filter. Those that wait stand in the order in which they end; the others newest first. */
export function useEvents({ status, key, source }: Filter) {
  const query = { status, limit: 100, ...(key && { event_key_prefix: key }), ...(source && { source_type: source }) };
  const list = useApiList<EventTrigger>("/v1/events", query);
  const outdate = useOutdated();
  useLive(["events"], outdate, outdate);
  useLiveRows<EventTrigger>({
    topics: ["events"],
    path: "/v1/events",
    idOf,
    patch: patchTrigger,
    isNew: useCallback((change: StreamChange) => change.object.status === status, [status]),
    isPaused: false,
  });
  const rows = useMemo(() => (status === "waiting" ? list.rows?.toSorted(bySoonest) : list.rows), [list.rows, status]);
  return { list, rows, query };
}

/** The stream brings no payloads, and no counts: both are read anew when something has changed, once a second at most. */
function useOutdated(): () => void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith("/v1/events") });
    }, GATHER_MS);
  }, [client]);
}

function idOf({ id }: EventTrigger): string {
  return id;
}

function patchTrigger(trigger: EventTrigger, { at, object }: StreamChange): EventTrigger {
  if (at < trigger.updated_at) return trigger;
  return { ...trigger, ...(object as Partial<EventTrigger>), updated_at: at };
}

function bySoonest(a: EventTrigger, b: EventTrigger): number {
  return a.expires_at.localeCompare(b.expires_at);
}
