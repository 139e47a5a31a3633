import { cronWords } from "../cron-words.ts";
import type { Schedules } from "./use-schedules.ts";

/** Table cell: the first schedule in words, the number of others. A dash means none. */
export function ScheduleWords({ of, schedules }: { of: string; schedules: Schedules }) {
  if (!schedules) return null;
  const own = schedules.get(of) ?? [];
  const [first, ...others] = own;
  if (!first) return <span className="text-ink-3">–</span>;
  const descriptions = own.map(({ cron, timezone, paused }) => `${cron} in ${timezone}${paused ? ", paused" : ""}`);
  return (
    <span className="block" title={descriptions.join("\n")}>
      <CronWords cron={first.cron} note={first.paused ? "paused" : first.timezone} others={others.length} />
    </span>
  );
}

/** The number of other schedules stays visible in narrow cells. */
export function CronWords({ cron, note, others }: { cron: string; note: string; others: number }) {
  return (
    <span className="flex gap-1.5">
      <span className="truncate">
        {cronWords(cron)} <span className="text-ink-3">{note}</span>
      </span>
      {others > 0 && <span className="flex-none text-ink-3">+{others}</span>}
    </span>
  );
}
