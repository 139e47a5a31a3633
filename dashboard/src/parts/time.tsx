import { cx } from "./class-names.ts";
import { formatDuration, formatInstant, formatRelative } from "./format.ts";
import { useSettings } from "./settings.ts";
import { useNowText } from "./use-now.ts";

type Props = { at: string | null | undefined; className?: string };

/** Relative time, with the full timestamp and zone on hover. */
export function Time({ at, className }: Props) {
  return at ? <Instant at={at} className={className} /> : <span className="text-ink-3">–</span>;
}

function Instant({ at, className }: { at: string; className: string | undefined }) {
  const { zone } = useSettings();
  const instant = Date.parse(at);
  const text = useNowText((now) => formatRelative(instant, Math.max(now, instant > now + 1_500 ? now : instant)));
  return (
    <time dateTime={at} title={formatInstant(at, zone)} className={cx("whitespace-nowrap font-sans", className)}>
      {text}
    </time>
  );
}

/** Duration, or elapsed time until now. */
export function Duration({ from, to, className }: { from: string | null; to: string | null; className?: string }) {
  if (!from) return <span className="text-ink-3">–</span>;
  return (
    <span className={cx("whitespace-nowrap font-mono text-xs", !to && "text-ink-2", className)}>
      {to ? formatDuration(Date.parse(to) - Date.parse(from)) : <Growing from={from} />}
    </span>
  );
}

function Growing({ from }: { from: string }) {
  return useNowText((now) => formatDuration(now - Date.parse(from)));
}
