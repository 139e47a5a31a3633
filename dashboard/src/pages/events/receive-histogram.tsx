import type { EventTrigger } from "@millrace/contract/events/events";
import { useMemo } from "react";
import { type Page, useApi } from "../../api/use-api.ts";
import { formatCount, formatDuration, plural } from "../../parts/format.ts";
import { Skeleton } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { percentileOf, receiveSteps, type Step } from "./receive-times.ts";

const NEWEST = { status: "received", trigger_type: "event", limit: 100 };

/** How long the newest hundred received events took to arrive. */
export function ReceiveHistogram({ height }: { height: number }) {
  const { environmentFilter } = usePlace();
  const { data } = useApi<Page<EventTrigger>>("/v1/events", { ...NEWEST, environment_id: environmentFilter });
  const { steps, times } = useMemo(() => receiveSteps(data?.data ?? []), [data]);
  const max = Math.max(1, ...steps.map(({ count }) => count));
  const [half, most95] = [percentileOf(times, 50), percentileOf(times, 95)];
  return (
    <figure aria-label="Wait time" className="card m-0 flex min-w-0 flex-col px-4 pb-3">
      <figcaption className="flex h-10 items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">Wait time</span>
        {half !== undefined && most95 !== undefined && (
          <span className="whitespace-nowrap text-ink-2 text-xs">
            p50 {formatDuration(half)} · p95 {formatDuration(most95)}
          </span>
        )}
      </figcaption>
      {!data && (
        <div style={{ height: height + 20 }}>
          <Skeleton className="h-full w-full" />
        </div>
      )}
      {data && steps.length === 0 && <p className="text-ink-3 text-xs">No event has been received yet.</p>}
      {steps.length > 0 && (
        <ol className="flex items-end gap-0.5" style={{ height: height + 20 }}>
          {steps.map((step) => (
            <StepBar key={step.from_ms} step={step} max={max} height={height} />
          ))}
        </ol>
      )}
    </figure>
  );
}

function StepBar({ step, max, height }: { step: Step; max: number; height: number }) {
  const isLast = step.to_ms === Number.POSITIVE_INFINITY;
  const label = isLast ? `> ${shortTime(step.from_ms)}` : `< ${shortTime(step.to_ms)}`;
  return (
    <li
      title={`${label}: ${plural(step.count, "event")}`}
      className="flex h-full min-w-0 max-w-24 flex-1 flex-col justify-end"
    >
      <span className="text-center font-mono text-xs text-ink-2">{step.count > 0 && formatCount(step.count)}</span>
      <span
        className="block rounded-t-[2px] bg-accent"
        style={{ height: step.count > 0 ? Math.max(2, (step.count / max) * (height - 16)) : 0 }}
      />
      <span className="h-5 truncate border-t pt-1 text-center text-xs text-ink-3">{label}</span>
    </li>
  );
}

function shortTime(ms: number): string {
  return formatDuration(ms).replace(".0", "").replace(" ", "");
}
