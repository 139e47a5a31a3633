import type { UpcomingFires } from "@millrace/contract/jobs/schedules";

type Fire = { at: string; id: string };
export type CalendarDay = {
  label: string;
  fires: Fire[];
  /** Schedules that fire too often to be listed one by one. */
  often: string[];
};

const DAY_MS = 86_400_000;
/** More fires of one schedule in a day are shown as "often". */
const MAX_A_DAY = 4;

/** Fires by day, in the zone of the user. */
export function daysOf({ from, data }: UpcomingFires, count: number, zone: "local" | "utc"): CalendarDay[] {
  const labelOf = (at: number) =>
    new Date(at).toLocaleDateString(undefined, {
      ...{ weekday: "short", day: "numeric", month: "short" },
      ...(zone === "utc" && { timeZone: "UTC" }),
    });
  const labels = Array.from({ length: count }, (_, nth) => labelOf(Date.parse(from) + nth * DAY_MS));
  const days = new Map(labels.map((label): [string, CalendarDay] => [label, { label, fires: [], often: [] }]));
  for (const { schedule_id: id, fire_times, has_more } of data) {
    if (has_more) {
      for (const day of days.values()) day.often.push(id);
      continue;
    }
    for (const [label, times] of groupedBy(fire_times, (at) => labelOf(Date.parse(at)))) {
      if (times.length > MAX_A_DAY) days.get(label)?.often.push(id);
      else days.get(label)?.fires.push(...times.map((at) => ({ at, id })));
    }
  }
  for (const day of days.values()) day.fires.sort((a, b) => (a.at < b.at ? -1 : 1));
  return [...days.values()];
}

function groupedBy(times: readonly string[], key: (at: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const at of times) groups.set(key(at), [...(groups.get(key(at)) ?? []), at]);
  return groups;
}
