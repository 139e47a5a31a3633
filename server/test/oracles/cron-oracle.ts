/**
 * A second, independent implementation of cron expressions: walks through the minutes and reads the zone's clock at
 * each. Supports numbers, lists, ranges, steps and stars.
 */
type ClockMinute = { instant: string; shown: Shown; skipped: Shown[]; isRepeat: boolean };

type Shown = { minute: number; hour: number; day: number; month: number; weekday: number };

const MINUTE_MS = 60_000;

/** Every minute from one instant to another, with the local times that the zone's clock shows, skips and repeats. */
export function walkClock(timezone: string, fromIso: string, toIso: string): ClockMinute[] {
  const read = clockReader(timezone);
  const minutes: ClockMinute[] = [];
  let latest = read(Date.parse(fromIso) - MINUTE_MS);
  for (let at = Date.parse(fromIso); at <= Date.parse(toIso); at += MINUTE_MS) {
    const wall = read(at);
    const skipped: Shown[] = [];
    for (let between = latest + MINUTE_MS; between < wall; between += MINUTE_MS) skipped.push(shownAt(between));
    minutes.push({ instant: new Date(at).toISOString(), shown: shownAt(wall), skipped, isRepeat: wall <= latest });
    latest = Math.max(latest, wall);
  }
  return minutes;
}

/** The instants of the walk at which the expression fires. */
export function firesIn(minutes: readonly ClockMinute[], expression: string): string[] {
  const matches = matcherOf(expression);
  return minutes
    .filter(({ shown, skipped, isRepeat }) => (!isRepeat && matches(shown)) || skipped.some(matches))
    .map(({ instant }) => instant);
}

function clockReader(timezone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
  return (instantMs) => Date.parse(`${format.format(instantMs).replace(" ", "T")}Z`);
}

function shownAt(wallMs: number): Shown {
  const date = new Date(wallMs);
  return {
    minute: date.getUTCMinutes(),
    hour: date.getUTCHours(),
    day: date.getUTCDate(),
    month: date.getUTCMonth() + 1,
    weekday: date.getUTCDay(),
  };
}

function matcherOf(expression: string): (shown: Shown) => boolean {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = expression.split(" ");
  const [minutes, hours, days] = [valuesOf(minute, 0, 59), valuesOf(hour, 0, 23), valuesOf(day, 1, 31)];
  const [months, weekdays] = [valuesOf(month, 1, 12), valuesOf(weekday, 0, 7)];
  const isWeekday = (value: number) => weekdays.has(value) || (value === 0 && weekdays.has(7));
  const isDay = (shown: Shown) => {
    // If both day fields are restricted, either one matches.
    if (day !== "*" && weekday !== "*") return days.has(shown.day) || isWeekday(shown.weekday);
    return days.has(shown.day) && isWeekday(shown.weekday);
  };
  return (shown) => minutes.has(shown.minute) && hours.has(shown.hour) && months.has(shown.month) && isDay(shown);
}

function valuesOf(field: string, min: number, max: number): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [from = "", to = from] = range === "*" ? [`${min}`, `${max}`] : range.split("-");
    for (let value = Number(from); value <= Number(to); value += Number(step)) values.add(value);
  }
  return values;
}

/** Random cron expressions, the same for the same seed, so that failures can be reproduced. */
export function randomExpressions(count: number, seed: number): string[] {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const number = (min: number, max: number) => min + below(max - min + 1);
  const field = (min: number, max: number, starIn: number): string => {
    const from = number(min, max);
    const kinds = [
      () => `${from}`,
      () => `${from}-${number(from, max)}`,
      () => `*/${number(2, Math.max(2, Math.floor((max - min) / 2)))}`,
      () => `${from}-${number(from, max)}/${number(2, 7)}`,
      () => [from, number(min, max), number(min, max)].join(","),
    ];
    return below(starIn) === 0 ? "*" : (kinds[below(kinds.length)]?.() ?? "*");
  };
  const anyDay = (min: number, max: number) => (below(3) === 0 ? field(min, max, 9) : "*");
  return Array.from({ length: count }, () =>
    // Favors the hours in which clocks change.
    [
      field(0, 59, 8),
      below(2) ? field(0, 4, 5) : field(0, 23, 3),
      anyDay(1, 31),
      below(8) ? "*" : field(1, 12, 9),
      anyDay(0, 7),
    ].join(" "),
  );
}
