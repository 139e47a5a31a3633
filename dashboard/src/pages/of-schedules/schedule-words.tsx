import type { Schedule } from "@millrace/contract/schedules";
import { cronWords } from "../cron-words.ts";

/** For a cell: the first in words, the others by their number. */
export function ScheduleWords({ schedules = [] }: { schedules: Schedule[] | undefined }) {
  const [first, ...others] = schedules;
  if (!first) return <span className="text-ink-3">–</span>;
  const said = schedules.map(({ cron, timezone, paused }) => `${cron} in ${timezone}${paused ? ", paused" : ""}`);
  return (
    <span className="block truncate" title={said.join("\n")}>
      {cronWords(first.cron)} <span className="text-ink-3">{first.paused ? "paused" : first.timezone}</span>
      <AndOthers count={others.length} />
    </span>
  );
}

export function AndOthers({ count }: { count: number }) {
  return count > 0 && <span className="text-ink-3"> +{count}</span>;
}
