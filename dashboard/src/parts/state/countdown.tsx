import { cx } from "../class-names.ts";
import { formatDuration, formatInstant } from "../format.ts";
import { useSettings } from "../settings.ts";
import { useNow } from "../use-now.ts";

type Props = { until: string | number; from?: string | number; ended?: string; className?: string };

const SOON_MS = 60_000;

/** Remaining time to the second. With `from` a bar shows the elapsed share. */
export function Countdown({ until, from, ended = "now", className }: Props) {
  const now = useNow();
  const { zone } = useSettings();
  const end = new Date(until).getTime();
  const left = end - now;
  const isSoon = left < SOON_MS;
  const part =
    from === undefined ? undefined : Math.min(1, Math.max(0, left / Math.max(1, end - new Date(from).getTime())));
  return (
    <span className={cx("inline-flex items-center gap-2 align-middle", className)} title={formatInstant(end, zone)}>
      {part !== undefined && (
        <span className="h-1 w-12 flex-none overflow-hidden rounded-full bg-hover" aria-hidden="true">
          <span
            className={cx("block h-full rounded-full", isSoon ? "bg-retrying" : "bg-waiting")}
            style={{ width: `${part * 100}%` }}
          />
        </span>
      )}
      <span role="timer" className={cx("whitespace-nowrap font-mono text-xs", isSoon && "text-retrying-ink")}>
        {left <= 0 ? ended : formatDuration(Math.ceil(left / 1_000) * 1_000)}
      </span>
    </span>
  );
}
