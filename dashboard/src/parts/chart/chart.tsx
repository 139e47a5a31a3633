import { Download, Table2 } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { downloadText } from "../code/download.ts";
import { IconButton } from "../form/icon-button.tsx";
import { formatInstant, formatShort } from "../format.ts";
import { useSettings } from "../settings.ts";
import { STILL_LOADING } from "../state/messages.ts";
import { Skeleton } from "../state/skeleton.tsx";
import { FAMILY_COLOR, type StatusFamily } from "../state/statuses.ts";
import { fillOf } from "./fill-of.ts";

const ChartCanvas = lazy(() => import("./chart-canvas.tsx"));

export type ChartSeries = {
  label: string;
  values: (number | null)[];
  /** Color family; the accent by default. */
  family?: StatusFamily;
  /** p50, p95 and p99 are solid, dashed and dotted. */
  stroke?: "solid" | "dashed" | "dotted";
};

export type ChartProps = {
  title: string;
  /** Epoch seconds, ascending. Undefined while loading; the height is reserved. */
  times: number[] | undefined;
  series: ChartSeries[];
  kind?: "lines" | "area" | "stacked";
  height?: number;
  format?: (value: number) => string;
  /** A time range was selected by dragging. */
  onBrush?: (from: number, to: number) => void;
};

/** Time series on a canvas that loads on first use, with table view and CSV download. */
export function Chart(props: ChartProps) {
  const { times, height = 180, format = formatShort } = props;
  return (
    <ChartFrame {...props}>
      <Suspense fallback={<NotYet height={height} />}>
        {times && <ChartCanvas {...props} times={times} height={height} format={format} />}
      </Suspense>
    </ChartFrame>
  );
}

/** An empty chart would look like no data. */
function NotYet({ height }: { height: number }) {
  return (
    <div className="pt-2" style={{ height }}>
      <Skeleton className="h-full w-full" />
    </div>
  );
}

type FrameProps = Pick<ChartProps, "title" | "times" | "series" | "height" | "format"> & {
  children: ReactNode;
  /** A line below the title, for example what a click does. */
  note?: ReactNode;
  /** Areas instead of lines. */
  isBars?: boolean;
};

/** Frame of every chart: title, legend, table view and CSV. */
export function ChartFrame(props: FrameProps) {
  const { title, height = 180, times, series, format = formatShort, children, note, isBars } = props;
  const [isTable, setTable] = useState(false);
  return (
    <figure className="card m-0 flex min-w-0 flex-col">
      <figcaption className="flex h-10 items-center gap-1 pr-1 pl-4">
        <span className="min-w-0 flex-1 truncate font-medium">{title}</span>
        <IconButton
          label={isTable ? "View as chart" : "View as table"}
          icon={<Table2 size={15} />}
          pressed={isTable}
          onClick={() => setTable(!isTable)}
        />
        <IconButton
          label="Download CSV"
          icon={<Download size={15} />}
          disabledReason={times ? undefined : STILL_LOADING}
          onClick={() => times && downloadText(`${title}.csv`, csvOf(times, series))}
        />
      </figcaption>
      <div className="px-4 pb-3" style={{ minHeight: height + 32 }}>
        {isTable && times ? (
          <ChartTable times={times} series={series} format={format} height={height + 20} />
        ) : (
          <>
            <ul className="flex h-5 flex-wrap gap-x-4 overflow-hidden text-ink-2 text-xs max-sm:h-auto max-sm:min-h-5 max-sm:gap-x-2.5">
              {series.map((each) => (
                <li key={each.label} className="flex h-5 items-center gap-1.5">
                  <Swatch {...each} isBars={isBars} />
                  {each.label}
                </li>
              ))}
              {note && <li className="ml-auto flex h-5 items-center text-ink-3 max-sm:hidden">{note}</li>}
            </ul>
            {times ? children : <NotYet height={height} />}
          </>
        )}
      </div>
    </figure>
  );
}

/** Legend mark, drawn like the series. */
function Swatch({ family, stroke = "solid", isBars }: ChartSeries & { isBars: boolean | undefined }) {
  if (isBars)
    return <span aria-hidden="true" className="size-2 flex-none rounded-[2px]" style={fillOf(family, stroke)} />;
  const borderColor = family ? FAMILY_COLOR[family] : "var(--color-accent)";
  return (
    <span aria-hidden="true" className="w-4 flex-none border-t-2" style={{ borderColor, borderTopStyle: stroke }} />
  );
}

function ChartTable({
  times,
  series,
  format,
  height,
}: {
  times: number[];
  series: ChartSeries[];
  format: (value: number) => string;
  height: number;
}) {
  const { zone } = useSettings();
  return (
    <div className="overflow-auto" style={{ maxHeight: height }} tabIndex={0}>
      <table className="w-full text-left text-xs">
        <thead className="sticky top-0 bg-bg text-ink-2">
          <tr>
            <th className="py-1 font-medium">Time</th>
            {series.map(({ label }) => (
              <th key={label} className="py-1 text-right font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, nth) => (
            <tr key={time} className="border-t">
              <td className="py-1">{formatInstant(time * 1_000, zone)}</td>
              {series.map(({ label, values }) => (
                <td key={label} className="py-1 text-right font-mono">
                  {values[nth] === null || values[nth] === undefined ? "–" : format(values[nth] as number)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function csvOf(times: number[], series: ChartSeries[]): string {
  const head = ["time", ...series.map(({ label }) => JSON.stringify(label))].join(",");
  const rows = times.map((time, nth) =>
    [new Date(time * 1_000).toISOString(), ...series.map(({ values }) => values[nth] ?? "")].join(","),
  );
  return [head, ...rows].join("\n");
}
