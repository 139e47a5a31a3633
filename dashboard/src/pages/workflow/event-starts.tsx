import type { Workflow } from "@millrace/contract/workflows/workflows";
import { useMay } from "../../api/me.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Section } from "../../parts/facts.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { codeOf } from "../code-of.ts";
import { useSubscriptions } from "./use-subscriptions.ts";

/** Event subscriptions that start the workflow. */
export function EventStarts({ workflow }: { workflow: Workflow }) {
  const isAllowed = useMay("events:read");
  const { sources, subscribed, error, refetch } = useSubscriptions(workflow.id, isAllowed);
  return (
    <Section title="Events">
      {!isAllowed && (
        <p className="card px-4 py-3 text-ink-2">You need the events:read scope to see event subscriptions.</p>
      )}
      {error && <ErrorState error={error} as="banner" onRetry={refetch} />}
      {isAllowed && !subscribed && !error && <SkeletonLines lines={2} />}
      {subscribed?.length === 0 && <NoEvents workflow={workflow} source={sources[0]?.slug ?? "my-source"} />}
      {subscribed && subscribed.length > 0 && (
        <ul aria-label="Subscriptions" className="card divide-y">
          {subscribed.map(({ source, subscription: { id, filter, enabled } }) => (
            <li key={id} className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5">
              <span className="font-medium">{source.name}</span>
              <code className="min-w-0 flex-1 truncate font-mono text-ink-2 text-xs" title={filter ?? undefined}>
                {filter ?? "all events"}
              </code>
              <StatusMark status={enabled && source.enabled ? "active" : "disabled"} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function NoEvents({ workflow, source }: { workflow: Workflow; source: string }) {
  const { curl } = codeOf({
    method: "POST",
    path: `/v1/event-sources/${source}/subscriptions`,
    body: { workflow_id: workflow.slug, filter: 'event.type == "order.paid"' },
  });
  return (
    <div className="card flex flex-col gap-2 px-4 py-3">
      <p className="text-ink-2">
        No event subscriptions. Subscribe this workflow to an event source to start a run for every event that matches
        the filter.
      </p>
      <CodeBlock code={curl} />
    </div>
  );
}
