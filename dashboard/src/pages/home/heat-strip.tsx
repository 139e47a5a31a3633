import type { RunTimeseries } from "@millrace/contract/analytics/run-analytics";
import { useMemo } from "react";
import { ChartFrame, type ChartSeries } from "../../parts/chart/chart.tsx";
import { formatMoment, plural, type Zone } from "../../parts/format.ts";
import { Link } from "../../parts/link.tsx";
import { useSettings } from "../../parts/settings.ts";
import { BUCKET_SECS, timesOf } from "../shared-analytics/run-series.ts";

/** `hrefOf`: link to the runs of a time range. */
type Props = { series: RunTimeseries | undefined; hrefOf: (from: number, to: number) => string };
type Cell = { time: number; all: number; bad: number };
type Row = { label: string; cells: (Cell | undefined)[] };

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const CELL = { "1m": "a minute", "5m": "a cell", "1h": "an hour", "1d": "a day" };
const ROW_PX = 18;
/** Percent of a cell: the volume must stay visible where all runs failed. */
const MAX_RED = 60;

/** Activity by hour with one row per day; other bucket sizes in a single row. */
export function HeatStrip({ series, hrefOf }: Props) {
  const { zone } = useSettings();
  const { times, lines, rows, max } = useMemo(() => shownOf(series, zone), [series, zone]);
  const bucket = series?.bucket ?? "1h";
  const isByHour = bucket === "1h";
  const secs = BUCKET_SECS[bucket];
  return (
    <ChartFrame
      title={isByHour ? "Activity by hour" : "Activity"}
      times={times}
      series={lines}
      height={(isByHour ? Math.max(2, rows.length) : 1) * (ROW_PX + 2) + 24}
      note={`Click ${CELL[bucket]} to view its runs`}
    >
      <div aria-hidden="true" className="flex flex-col gap-0.5 pt-2">
        {rows.map(({ label, cells }) => (
          <div key={label} className="flex items-center gap-2">
            {isByHour && <span className="w-14 flex-none truncate text-right text-xs text-ink-3">{label}</span>}
            <div className="flex min-w-0 flex-1 gap-0.5">
              {cells.map((cell, nth) => (
                <HeatCell
                  key={cell?.time ?? -nth}
                  cell={cell}
                  max={max}
                  zone={zone}
                  hrefOf={(at) => hrefOf(at, at + secs)}
                />
              ))}
            </div>
          </div>
        ))}
        {!isByHour && <Ends times={times} bucket={bucket} zone={zone} />}
        {isByHour && (
          <div className="flex gap-2 text-xs text-ink-3">
            <span className="w-14 flex-none" />
            <div className="flex min-w-0 flex-1 gap-0.5">
              {HOURS.map((hour) => (
                <span key={hour} className="min-w-0 flex-1 overflow-visible whitespace-nowrap">
                  {hour % 6 === 0 ? `${String(hour).padStart(2, "0")}:00` : ""}
                </span>
              ))}
            </div>
          </div>
        )}
      </div>
    </ChartFrame>
  );
}

type EndsProps = { times: number[] | undefined; bucket: RunTimeseries["bucket"]; zone: Zone };

/** Labels for the first and last cell of a row. */
function Ends({ times = [], bucket, zone }: EndsProps) {
  const format = new Intl.DateTimeFormat(undefined, {
    ...(bucket === "1d"
      ? { day: "numeric", month: "short" }
      : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    ...(zone === "utc" && { timeZone: "UTC" }),
  });
  return (
    <div className="flex justify-between text-xs text-ink-3">
      {[times[0], times.at(-1)].map((time, nth) => (
        <span key={nth === 0 ? "from" : "to"}>{time !== undefined && format.format(time * 1_000)}</span>
      ))}
    </div>
  );
}

type CellProps = { cell: Cell | undefined; max: number; zone: Zone; hrefOf: (at: number) => string };

function HeatCell({ cell, max, zone, hrefOf }: CellProps) {
  if (!cell) return <span className="min-w-0 flex-1" style={{ height: ROW_PX }} />;
  const { time, all, bad } = cell;
  const heat = all === 0 ? 0 : 18 + Math.round((82 * all) / max);
  const description = `${formatMoment(time * 1_000, zone)}: ${plural(all, "run")} finished, ${bad} failed`;
  const look = "relative block min-w-0 flex-1 overflow-hidden rounded-[3px] bg-hover";
  if (all === 0) return <span title={description} className={look} style={{ height: ROW_PX }} />;
  const backgroundColor = `color-mix(in oklab, var(--color-accent) ${heat}%, var(--color-hover))`;
  return (
    <Link
      href={hrefOf(time)}
      tabIndex={-1}
      title={description}
      className={`${look} hover:ring-2 hover:ring-border-strong`}
      style={{ height: ROW_PX, backgroundColor }}
    >
      {bad > 0 && (
        <span
          className="absolute inset-x-0 bottom-0 bg-failed"
          style={{ height: `max(3px, ${Math.round((MAX_RED * bad) / all)}%)` }}
        />
      )}
    </Link>
  );
}

function shownOf(series: RunTimeseries | undefined, zone: Zone) {
  const cells = (series?.buckets ?? []).map((each): Cell => {
    const bad = each.failed + each.timed_out;
    return { time: Date.parse(each.starts_at) / 1_000, bad, all: bad + each.completed + each.canceled };
  });
  const lines: ChartSeries[] = [
    { label: "Finished", values: cells.map(({ all }) => all) },
    { label: "Failed", family: "failed", values: cells.map(({ bad }) => bad) },
  ];
  const rows = series?.bucket === "1h" ? byDay(cells, zone) : [{ label: "", cells }];
  return { times: timesOf(series?.buckets), lines, rows, max: Math.max(1, ...cells.map(({ all }) => all)) };
}

/** Newest day at the bottom. When clocks go back, an hour occurs twice: its cells are added up. */
function byDay(cells: Cell[], zone: Zone): Row[] {
  const days = new Map<string, (Cell | undefined)[]>();
  const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
  const day = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", ...timeZone });
  const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", hourCycle: "h23", ...timeZone });
  for (const cell of cells) {
    const at = new Date(cell.time * 1_000);
    const row = days.get(day.format(at)) ?? HOURS.map(() => undefined);
    const nth = Number(hour.format(at));
    const before = row[nth];
    row[nth] = before ? { ...before, all: before.all + cell.all, bad: before.bad + cell.bad } : cell;
    days.set(day.format(at), row);
  }
  return [...days].map(([label, row]) => ({ label, cells: row }));
}
