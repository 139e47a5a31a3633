import type { Schedule } from "@millrace/contract/jobs/schedules";
import { useMemo } from "react";
import { useMay } from "../../api/me.ts";
import { useAll } from "../../api/use-all.ts";

/** Undefined while loading. */
export type Schedules = ReadonlyMap<string, Schedule[]> | undefined;

/** By target: its own cron first, paused ones last. */
export function useSchedules(): Schedules {
  const schedules = useAll<Schedule>("/v1/schedules", useMay("jobs:read"));
  return useMemo(() => {
    if (!schedules) return undefined;
    const rank = ({ is_default, paused }: Schedule) => (paused ? 2 : 0) + (is_default ? 0 : 1);
    const by = new Map<string, Schedule[]>();
    for (const schedule of [...schedules.values()].toSorted((a, b) => rank(a) - rank(b))) {
      const started = schedule.job_id ?? schedule.workflow_id;
      if (started) by.set(started, [...(by.get(started) ?? []), schedule]);
    }
    return by;
  }, [schedules]);
}
