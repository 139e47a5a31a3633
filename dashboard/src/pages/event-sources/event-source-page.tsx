import type { EventSource } from "@millrace/contract/events/event-sources";
import { useParams } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { PageBody } from "../../parts/page-header.tsx";
import { NoObject } from "../../parts/state/no-object.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { SourceEvents } from "./source-events.tsx";
import { SourceHeader } from "./source-header.tsx";
import { Subscriptions } from "./subscriptions.tsx";
import { TryEvent } from "./try-event.tsx";

/** One event source: subscriptions, a live test, and what it received. */
export default function EventSourcePage() {
  const { sourceId = "" } = useParams({ strict: false }) as { sourceId?: string };
  const [{ tab = "subscriptions" }, change] = useSearchParams();
  const { data: source, error, refetch } = useApi<EventSource>(`/v1/event-sources/${encodeURIComponent(sourceId)}`);
  if (!source && error) {
    return <NoObject error={error} onRetry={() => void refetch()} noun="event source" list="event-sources" />;
  }
  if (!source) {
    return (
      <PageBody>
        <SkeletonLines lines={8} />
      </PageBody>
    );
  }
  const tabs = [
    { id: "subscriptions", label: "Subscriptions", content: <Subscriptions source={source} /> },
    { id: "test", label: "Test", content: <TryEvent source={source} /> },
    { id: "events", label: "Received events", content: <SourceEvents source={source} /> },
  ];
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <SourceHeader source={source} />
      <PageBody className="!pt-2">
        <Tabs label="Event source sections" tabs={tabs} value={tab} onChange={(id) => change({ tab: id })} />
      </PageBody>
    </div>
  );
}
