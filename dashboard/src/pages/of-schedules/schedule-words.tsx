import { cronWords } from "../cron-words.ts";
import type { Schedules } from "./use-schedules.ts";

/** For a cell: the first in words, the others by their number. A dash says that there is none. */
export function ScheduleWords({ of, schedules }: { of: string; schedules: Schedules }) {
  if (!schedules) return null;
  const own = schedules.get(of) ?? [];
  const [first, ...others] = own;
  if (!first) return <span className="text-ink-3">–</span>;
  const said = own.map(({ cron, timezone, paused }) => `${cron} in ${timezone}${paused ? ", paused" : ""}`);
  return (
    <span className="block" title={said.join("\n")}>
      <CronWords cron={first.cron} beside={first.paused ? "paused" : first.timezone} others={others.length} />
    </span>
  );
}

/** Where there is little room the number of others stays in sight. */
export function CronWords({ cron, beside, others }: { cron: string; beside: string; others: number }) {
  return (
    <span className="flex gap-1.5">
      <span className="truncate">
        {cronWords(cron)} <span className="text-ink-3">{beside}</span>
      </span>
      {others > 0 && <span className="flex-none text-ink-3">+{others}</span>}
    </span>
  );
}
