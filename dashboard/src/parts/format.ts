/** Numbers, times and money in the user's locale. */

const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "always", style: "narrow" });

export const formatCount = (value: number): string => count.format(value);
export const formatShort = (value: number): string =>
  Math.abs(value) < 10_000 ? count.format(value) : short.format(value);
/** For a share between 0 and 1. */
export const formatPercent = (part: number): string => percent.format(part);

/** From micro-USD. Amounts too small to show are not shown as zero. */
export function formatMoney(microusd: number): string {
  if (microusd > 0 && microusd < MIN_MICROUSD) return `< ${moneyFormat(MIN_MICROUSD)(MIN_MICROUSD)}`;
  return moneyFormat(microusd)(microusd);
}

/** Formats amounts that are read together with the precision of the smallest. */
export function moneyFormat(...amounts: number[]): (microusd: number) => string {
  const isSmall = amounts.some((microusd) => microusd !== 0 && Math.abs(microusd) < 100_000);
  return (microusd) => (isSmall ? cents : dollars).format(microusd / 1_000_000);
}

const MIN_MICROUSD = 100;
const dollars = usdWith(2);
const cents = usdWith(4);

function usdWith(digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** `840 ms`, `3.2 s`, `4m 12s`, `2d 3h`: at most two units. Never negative, because clocks may differ. */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < 60_000) return `${(length / 1_000).toFixed(length < 10_000 ? 1 : 0)} s`;
  const nth = UNITS.findIndex(([, size]) => length >= size);
  const [unit, size] = UNITS[nth] ?? UNITS[3];
  const [nextUnit, nextSize] = UNITS[nth + 1] ?? UNITS[3];
  const rest = Math.floor((length % size) / nextSize);
  return `${Math.floor(length / size)}${unit}${rest > 0 ? ` ${rest}${nextUnit}` : ""}`;
}

/** `12 s ago`, `in 3 h`. */
export function formatRelative(at: number, now: number): string {
  const distance = at - now;
  const length = Math.abs(distance);
  if (length < 1_000) return "now";
  if (length < 60_000) return relative.format(Math.trunc(distance / 1_000), "second");
  if (length < 3_600_000) return relative.format(Math.trunc(distance / 60_000), "minute");
  if (length < 86_400_000) return relative.format(Math.trunc(distance / 3_600_000), "hour");
  if (length < 60 * 86_400_000) return relative.format(Math.trunc(distance / 86_400_000), "day");
  return new Date(at).toLocaleDateString(undefined, { year: "numeric", month: "short", day: "numeric" });
}

export type Zone = "local" | "utc";

/** Full timestamp with its time zone. */
export const formatInstant = inZones({
  year: "numeric",
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
  timeZoneName: "short",
});

/** Time of day, for logs and axes. */
export const formatTimeOfDay = inZones({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** To the second. */
export function formatMoment(at: string | number, zone: Zone): string {
  return formatInstant(at, zone).replace(/[,.]\d{3}/, "");
}

/** Converts timestamps in an API message to the user's time zone. */
export function withMoments(text: string, zone: Zone): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (at) => formatMoment(at, zone));
}

/** Cached per time zone: creating a format is far slower than using it, and every row needs one. */
function inZones(options: Intl.DateTimeFormatOptions): (at: string | number, zone: Zone) => string {
  const formats = new Map<Zone, Intl.DateTimeFormat>();
  return (at, zone) => {
    const date = new Date(at);
    if (Number.isNaN(date.getTime())) return "–";
    const format = formats.get(zone) ?? new Intl.DateTimeFormat(undefined, { ...options, ...zoneOf(zone) });
    formats.set(zone, format);
    return format.format(date);
  };
}

function zoneOf(zone: Zone): { timeZone?: string } {
  return zone === "utc" ? { timeZone: "UTC" } : {};
}

export function plural(amount: number, one: string, many = `${one}s`): string {
  return `${formatCount(amount)} ${amount === 1 ? one : many}`;
}

export function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
