import type { EventSource, EventSubscription } from "@millrace/contract/events/event-sources";
import { useQueries } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { apiKey, type Page, useApi } from "../../api/use-api.ts";
import { usePlace } from "../../shell/place/place.ts";

export type Subscribed = { source: EventSource; subscription: EventSubscription };

const MAX_SOURCES = 20;
const ALL = { limit: 100 };

/** Subscriptions that start a workflow, read per source, because there are few sources. Undefined while loading. */
export function useSubscriptions(workflowId: string, isOn: boolean) {
  const { project } = usePlace();
  const read = useApi<Page<EventSource>>("/v1/event-sources", { limit: MAX_SOURCES }, isOn);
  const sources = read.data?.data ?? [];
  const results = useQueries({
    queries: sources.map(({ id }) => {
      const path = `/v1/event-sources/${id}/subscriptions`;
      return {
        queryKey: apiKey(project, path, ALL),
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          call<Page<EventSubscription>>("GET", path, { query: ALL, project, signal }),
      };
    }),
  });
  const isRead = read.data !== undefined && results.every(({ data }) => data !== undefined);
  const subscribed = sources.flatMap((source, nth): Subscribed[] =>
    (results[nth]?.data?.data ?? [])
      .filter(({ workflow_id }) => workflow_id === workflowId)
      .map((subscription) => ({ source, subscription })),
  );
  return {
    sources,
    subscribed: isRead ? subscribed : undefined,
    error: read.error ?? results.find(({ error }) => error)?.error ?? null,
    refetch: () => void Promise.all([read.refetch(), ...results.map((each) => each.refetch())]),
  };
}
