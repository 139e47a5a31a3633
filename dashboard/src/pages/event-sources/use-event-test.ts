import type { EventSource } from "@millrace/contract/events/event-sources";
import type { EventTested, TestEvent } from "@millrace/contract/events/source-events";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../../api/call.ts";
import { usePlace } from "../../shell/place/place.ts";

const DEBOUNCE_MS = 350;

/** What an event would start, tested again shortly after the event or the draft changes. Starts nothing. */
export function useEventTest({ id }: EventSource, event: unknown, draft?: TestEvent["draft"]): EventTested | undefined {
  const { project } = usePlace();
  const wanted = event === undefined ? undefined : JSON.stringify({ ...(event as TestEvent), ...(draft && { draft }) });
  const body = useDebounced(wanted);
  const { data } = useQuery({
    queryKey: [project, `/v1/event-sources/${id}/test`, body],
    queryFn: ({ signal }) =>
      call<EventTested>("POST", `/v1/event-sources/${id}/test`, { project, signal, body: JSON.parse(body ?? "{}") }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return data;
}

function useDebounced(value: string | undefined): string | undefined {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
