import type { EventSource } from "@millrace/contract/events/event-sources";
import type { SourceEvent, SourceEventSummary } from "@millrace/contract/events/source-events";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApi, useApiList, useChange } from "../../api/use-api.ts";
import { Json } from "../../parts/code/json.tsx";
import { Section } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { formatCount, plural } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { Sheet } from "../../parts/overlay/sheet.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { useTargetName } from "./use-target-name.ts";

/** What the source received, newest first. */
export function SourceEvents({ source }: { source: EventSource }) {
  const path = `/v1/event-sources/${source.id}/events`;
  const { rows, error, refetch, hasNextPage, fetchNextPage } = useApiList<SourceEventSummary>(path);
  const [{ event }, change] = useSearchParams();
  return (
    <div className="flex flex-col gap-3">
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      {!rows && !error && <SkeletonLines lines={6} />}
      {rows?.length === 0 && (
        <EmptyState small title="No events received">
          Dispatch one in Test, or have a sender post to the inbound URL.
        </EmptyState>
      )}
      {rows && rows.length > 0 && (
        <ul aria-label="Events" className="card divide-y">
          {rows.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className="flex min-h-10 w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-left hover:bg-surface"
                onClick={() => change({ event: each.id }, { replace: true })}
              >
                <span className="w-28">
                  <StatusMark
                    status={each.status === "rejected" ? "rejected" : each.failed > 0 ? "failed" : "ok"}
                    label={each.status === "rejected" ? "Rejected" : `${formatCount(each.started)} started`}
                  />
                </span>
                <span className="min-w-0 flex-1 truncate">
                  {each.type ?? "event"} <code className="font-mono text-ink-3 text-xs">{each.event_id}</code>
                </span>
                <span className="text-ink-2 text-xs">{each.via === "inbound" ? "webhook" : each.received_by}</span>
                <Time at={each.created_at} className="text-ink-2 text-xs" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Show older
        </Button>
      )}
      {event && <OneEvent path={path} id={event} onClose={() => change({ event: undefined }, { replace: true })} />}
    </div>
  );
}

function OneEvent({ path, id, onClose }: { path: string; id: string; onClose: () => void }) {
  const { data: event, error, refetch } = useApi<SourceEvent>(`${path}/${id}`);
  const noScope = useDisabledReason("events:send");
  const [isReplayed, setReplayed] = useState(false);
  const replay = useChange<void, SourceEvent>({
    run: (_, send) => send("POST", `${path}/${id}/replay`),
    done: ({ started }) => `Replayed: ${plural(started, "run")} started`,
    invalidates: [path, "/v1/runs", "/v1/workflow-runs"],
    onDone: () => setReplayed(true),
  });
  return (
    <Sheet
      open
      onClose={onClose}
      title={event?.type ?? "Event"}
      actions={
        <Button
          size="small"
          icon={<RotateCcw size={13} />}
          disabledReason={noScope ?? (isReplayed ? "It was just replayed." : undefined)}
          busy={replay.isPending}
          onClick={() => replay.mutate()}
        >
          Replay event
        </Button>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
        {!event && !error && <SkeletonLines lines={5} />}
        {event && <Results event={event} />}
        {event && (
          <Section title="Payload">
            <Json value={event.payload} />
          </Section>
        )}
        {event && Object.keys(event.metadata).length > 0 && (
          <Section title="Metadata">
            <Json value={event.metadata} />
          </Section>
        )}
      </div>
    </Sheet>
  );
}

function Results({ event: { results, error } }: { event: SourceEvent }) {
  const { at } = usePlace();
  const nameOf = useTargetName();
  if (error) return <p className="text-failed-ink">{error.message}</p>;
  return (
    <Section title="Results">
      {results.length === 0 && <p className="text-ink-2">The source had no subscriptions.</p>}
      <ul className="flex flex-col gap-1.5">
        {results.map((each) => {
          const run = each.run_id
            ? `runs/${each.run_id}`
            : each.workflow_run_id && `workflow-runs/${each.workflow_run_id}`;
          return (
            <li key={each.subscription_id} className="flex flex-wrap items-center gap-2">
              <StatusMark
                status={each.outcome === "failed" ? "failed" : each.outcome === "started" ? "ok" : "skipped"}
                label={each.outcome.replaceAll("_", " ")}
              />
              <span>{nameOf(each)}</span>
              {run && (
                <Link href={at(run)} className="text-accent text-xs hover:underline">
                  Open run
                </Link>
              )}
              {each.error && <span className="basis-full text-failed-ink text-xs">{each.error.message}</span>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
