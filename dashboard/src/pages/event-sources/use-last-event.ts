import type { EventSource } from "@millrace/contract/events/event-sources";
import type { SourceEvent, SourceEventSummary } from "@millrace/contract/events/source-events";
import { useState } from "react";
import { type Page, useApi } from "../../api/use-api.ts";
import { printJson } from "../../parts/code/json-editor.tsx";
import { sampleOf } from "../shared-runs/check-schema.ts";

/** The text of an event to try: the last one received, or else one made of the source's schema, until it is edited. */
export function useLastEvent(source: EventSource): [string, (text: string) => void] {
  const [text, setText] = useState<string>();
  const path = `/v1/event-sources/${source.id}/events`;
  const { data: page } = useApi<Page<SourceEventSummary>>(path, { limit: 1 });
  const id = page?.data[0]?.id;
  const { data: last } = useApi<SourceEvent>(`${path}/${id}`, {}, id !== undefined);
  return [text ?? printJson(last ? eventOf(last) : sampleFor(source)), setText];
}

/** What a test needs of a received event. */
function eventOf({ event_id, type, payload, metadata }: SourceEvent) {
  return {
    ...(event_id && { id: event_id }),
    ...(type && { type }),
    payload,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function sampleFor({ payload_schema }: EventSource) {
  return {
    type: "order.paid",
    payload: payload_schema ? sampleOf(payload_schema) : { order: { id: 42, total: 19.99 } },
  };
}
