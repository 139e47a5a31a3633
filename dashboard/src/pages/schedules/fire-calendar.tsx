import type { Schedule, UpcomingFires } from "@millrace/contract/jobs/schedules";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { cx } from "../../parts/class-names.ts";
import { formatTimeOfDay } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { Skeleton } from "../../parts/state/skeleton.tsx";
import { cronWords } from "../cron-words.ts";
import { type CalendarDay, daysOf } from "./calendar-days.ts";
import type { NameOf } from "./schedule-columns.tsx";

const DAYS = 7;
const MAX_SHOWN = 8;

/** The fires of the next seven days, a column for each day. */
export function FireCalendar({ schedules, nameOf }: { schedules: readonly Schedule[] | undefined; nameOf: NameOf }) {
  const { zone } = useSettings();
  const { data, error, refetch } = useApi<UpcomingFires>("/v1/schedules/upcoming", { hours: DAYS * 24 });
  const days = useMemo(() => data && daysOf(data, DAYS, zone), [data, zone]);
  const byId = useMemo(() => new Map(schedules?.map((each) => [each.id, each])), [schedules]);
  const wordsOf = (id: string) => {
    const schedule = byId.get(id);
    return schedule ? (schedule.name ?? (nameOf(schedule) || cronWords(schedule.cron))) : id.slice(0, 8);
  };
  if (error) return <ErrorState error={error} as="banner" onRetry={() => void refetch()} />;
  if (!days) return <Skeleton className="h-64 w-full" />;
  return (
    <section aria-label="Calendar" className="overflow-x-auto pb-3" tabIndex={0}>
      <ol className="grid min-w-[980px] grid-cols-7 divide-x rounded-md border">
        {days.map((day, nth) => (
          <Day key={day.label} day={day} isToday={nth === 0} wordsOf={wordsOf} />
        ))}
      </ol>
    </section>
  );
}

function Day({ day, isToday, wordsOf }: { day: CalendarDay; isToday: boolean; wordsOf: (id: string) => string }) {
  const { zone } = useSettings();
  const shown = day.fires.slice(0, MAX_SHOWN);
  return (
    <li className={cx("flex min-h-44 min-w-0 flex-col gap-1 p-2", isToday && "bg-surface")}>
      <h2 className="pb-1 font-medium text-ink-2 text-xs">{isToday ? "Today" : day.label}</h2>
      {day.often.map((id) => (
        <p
          key={id}
          className="truncate rounded-sm border border-dashed px-1.5 py-0.5 text-xs"
          title={`${wordsOf(id)}, frequent`}
        >
          {wordsOf(id)} <span className="text-ink-3">frequent</span>
        </p>
      ))}
      {shown.map(({ at, id }) => (
        <p key={`${at} ${id}`} className="flex gap-1.5 rounded-sm bg-hover px-1.5 py-0.5 text-xs" title={wordsOf(id)}>
          <time dateTime={at} className="flex-none font-mono text-ink-2">
            {formatTimeOfDay(at, zone).slice(0, 5)}
          </time>
          <span className="truncate">{wordsOf(id)}</span>
        </p>
      ))}
      {day.fires.length > MAX_SHOWN && <p className="text-ink-3 text-xs">and {day.fires.length - MAX_SHOWN} more</p>}
      {day.fires.length + day.often.length === 0 && <p className="text-ink-3 text-xs">No runs</p>}
    </li>
  );
}
