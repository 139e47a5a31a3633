import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { EventTrigger } from "@millrace/contract/events/events";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { usePlace } from "../../shell/place/place.ts";
import { useThrottledRefetch } from "../shared-analytics/use-throttled-refetch.ts";

type Filter = { status: string; key: string; source: string };

/** Events that match a filter: waiting ones by expiry, others newest first. */
export function useEvents({ status, key, source }: Filter) {
  const { environmentFilter } = usePlace();
  const query = {
    status,
    environment_id: environmentFilter,
    ...(status === "waiting" && { sort: "expires_at" }),
    limit: 100,
    ...(key && { event_key_prefix: key }),
    ...(source && { source_type: source }),
  };
  const list = useApiList<EventTrigger>("/v1/events", query);
  const invalidate = useInvalidation();
  useLive(["events"], invalidate, invalidate);
  useLiveRows<EventTrigger>({
    topics: ["events"],
    path: "/v1/events",
    idOf,
    patch: patchTrigger,
    isNew: useCallback((change: StreamChange) => change.object.status === status, [status]),
    isPaused: false,
  });
  return { list, query };
}

/** The stream has no payloads and no counts: both are refetched after a change, the charts every other time. */
function useInvalidation(): () => void {
  const client = useQueryClient();
  const nth = useRef(0);
  const { plan } = useThrottledRefetch(() => {
    const isOfCharts = nth.current++ % 2 === 1;
    void client.invalidateQueries({
      predicate: ({ queryKey }) => {
        const [path, last] = [String(queryKey[1]), queryKey.at(-1)];
        if (path === "/v1/events/stats" || (path === "/v1/events" && last === "list")) return true;
        return isOfCharts && (path === "/v1/events" || path === "/v1/analytics/events/volume");
      },
    });
  });
  return plan;
}

function idOf({ id }: EventTrigger): string {
  return id;
}

function patchTrigger(trigger: EventTrigger, { at, object }: StreamChange): EventTrigger {
  if (at < trigger.updated_at) return trigger;
  return { ...trigger, ...(object as Partial<EventTrigger>), updated_at: at };
}
