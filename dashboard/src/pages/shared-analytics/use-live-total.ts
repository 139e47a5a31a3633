import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { useEffect, useMemo, useRef, useState } from "react";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { useEnvironments } from "../../shell/place/use-places.ts";

type Total = RunTimeseries["total"];
type Count = "created" | "completed" | "failed" | "timed_out" | "canceled";

const BATCH_MS = 200;
const ENDS = new Set(["completed", "failed", "timed_out", "canceled"]);

/**
 * Totals of a range that ends now: adds the stream events since the aggregates were computed (`as_of`), without any
 * request.
 */
export function useLiveTotal(isOn: boolean, series: RunTimeseries | undefined): Total | undefined {
  const pendingChanges = useRef<StreamChange[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [tick, setTick] = useState(0);
  const { environment } = usePlace();
  const here = useEnvironments().find(({ slug }) => slug === environment)?.id;
  useEffect(() => () => clearTimeout(timer.current), []);
  useLive(
    isOn ? ["runs"] : [],
    (change) => {
      if (change.type !== "run.status" || !isHere(change, here)) return;
      pendingChanges.current.push(change);
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setTick((nth) => nth + 1);
      }, BATCH_MS);
    },
    () => pendingChanges.current.splice(0),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: recompute for every stream event
  return useMemo(() => {
    if (!series) return undefined;
    pendingChanges.current = pendingChanges.current.filter(({ at }) => series.as_of === null || at > series.as_of);
    return isOn ? withChanges(series.total, pendingChanges.current) : series.total;
  }, [series, isOn, tick]);
}

/** If all environments are shown, every event counts. */
function isHere({ object: { environment_id } }: StreamChange, here: string | undefined): boolean {
  return here === undefined || environment_id === undefined || environment_id === here;
}

function withChanges(total: Total, changes: readonly StreamChange[]): Total {
  const counts: Record<Count, number> = { ...total };
  for (const { object } of changes) {
    if (object.from_status === null) counts.created += 1;
    if (ENDS.has(String(object.status))) counts[object.status as Count] += 1;
  }
  const ended = counts.completed + counts.failed + counts.timed_out;
  return { ...total, ...counts, success_rate: ended === 0 ? null : counts.completed / ended };
}
