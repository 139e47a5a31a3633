import { formatMoment } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import type { Line } from "./use-explored.ts";

type Props = { title: string; times: number[]; lines: readonly Line[]; format: (value: number) => string };

/** A row for each line, a cell for each interval. The value is read aloud and shown on hover. */
export function HeatMap({ title, times, lines, format }: Props) {
  const { zone } = useSettings();
  const max = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const at = (nth: number) => formatMoment((times[nth] ?? 0) * 1_000, zone);
  return (
    <figure className="card m-0 overflow-x-auto p-4">
      <figcaption className="pb-3 font-medium">{title}</figcaption>
      <div
        role="img"
        aria-label={`${title}, highest value ${format(max)}`}
        className="flex min-w-[560px] flex-col gap-1"
      >
        {lines.map(({ label, values }) => (
          <div key={label} className="flex items-center gap-2">
            <span className="w-36 flex-none truncate text-ink-2 text-xs" title={label}>
              {label}
            </span>
            <div className="flex h-8 min-w-0 flex-1 gap-px">
              {values.map((value, nth) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: one cell for each interval, in order
                  key={nth}
                  title={`${at(nth)}: ${value === null ? "–" : format(value)}`}
                  className="min-w-0 flex-1 rounded-xs"
                  style={{ backgroundColor: shade(value, max) }}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
      <div className="flex justify-between gap-4 pt-2 pl-38 text-ink-3 text-xs">
        <span>{at(0)}</span>
        <span>0 to {format(max)}</span>
        <span>{at(times.length - 1)}</span>
      </div>
    </figure>
  );
}

function shade(value: number | null, max: number): string {
  if (value === null || max === 0) return "var(--color-surface)";
  const share = Math.round((value / max) * 92) + (value > 0 ? 8 : 0);
  return `color-mix(in oklab, var(--color-accent) ${share}%, var(--color-surface))`;
}
