import type { MapItem, MapItemCounts } from "@millrace/contract/workflows/step-runs";
import { useState } from "react";
import { useApiList } from "../../../api/use-api.ts";
import { Progress } from "../../../parts/chart/progress.tsx";
import { Section } from "../../../parts/facts.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { formatCount } from "../../../parts/format.ts";
import { Link } from "../../../parts/link.tsx";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import { usePlace } from "../../../shell/place/place.ts";

type Props = { runId: string; stepRef: string; counts: MapItemCounts };

const LOOKS = { completed: "bg-success", failed: "bg-failed", running: "bg-running", canceled: "bg-queued" } as const;

/** Items of a map step: counts by status, and each item with its run. */
export function MapItems({ runId, stepRef, counts }: Props) {
  const [status, setStatus] = useState("");
  const path = `/v1/workflow-runs/${runId}/steps/${encodeURIComponent(stepRef)}/items`;
  const { rows, error, hasNextPage, fetchNextPage, refetch } = useApiList<MapItem>(path, { ...(status && { status }) });
  const parts = Object.entries(LOOKS).map(([name, className]) => ({
    label: name,
    className,
    value: counts[name as keyof typeof LOOKS],
  }));
  return (
    <Section
      title={`Items · ${formatCount(counts.total)}`}
      actions={
        <select
          aria-label="Item status"
          className="field !h-7 !w-auto text-xs"
          value={status}
          onChange={(event) => setStatus(event.target.value)}
        >
          <option value="">All</option>
          {["pending", "running", "completed", "failed", "canceled"].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      }
    >
      <Progress label="Completed items" value={counts.completed} total={counts.total} parts={parts} />
      {error && <ErrorState error={error} as="banner" onRetry={() => void refetch()} />}
      <ul className="flex flex-col">
        {rows?.map((item) => (
          <Item key={item.item_index} item={item} />
        ))}
      </ul>
      {hasNextPage && (
        <Button size="small" onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
}

function Item({ item }: { item: MapItem }) {
  const { at } = usePlace();
  const href = item.run_id
    ? at(`runs/${item.run_id}`)
    : item.child_workflow_run_id && at(`workflow-runs/${item.child_workflow_run_id}`);
  return (
    <li className="flex h-8 items-center gap-2 border-b last:border-0">
      <span className="w-8 flex-none font-mono text-ink-3 text-xs">{item.item_index}</span>
      <StatusMark status={item.status} as="mark" />
      <code className="min-w-0 flex-1 truncate font-mono text-xs">
        {item.error?.message ?? JSON.stringify(item.item)}
      </code>
      {href && (
        <Link href={href} className="text-accent text-xs hover:underline">
          Open
        </Link>
      )}
    </li>
  );
}
