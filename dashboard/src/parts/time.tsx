import { cx } from "./class-names.ts";
import { formatDuration, formatInstant, formatRelative } from "./format.ts";
import { useSettings } from "./settings.ts";
import { useNow } from "./use-now.ts";

type Props = { at: string | null | undefined; className?: string };

/** When: relative, with the whole instant and its zone on hover. */
export function Time({ at, className }: Props) {
  const now = useNow();
  const { zone } = useSettings();
  if (!at) return <span className="text-ink-3">–</span>;
  const instant = Date.parse(at);
  return (
    <time dateTime={at} title={formatInstant(at, zone)} className={cx("whitespace-nowrap", className)}>
      {formatRelative(instant, Math.max(now, instant > now + 1_500 ? now : instant))}
    </time>
  );
}

/** How long something took, or has taken by now. */
export function Duration({ from, to, className }: { from: string | null; to: string | null; className?: string }) {
  const now = useNow();
  if (!from) return <span className="text-ink-3">–</span>;
  const ms = (to ? Date.parse(to) : now) - Date.parse(from);
  return (
    <span className={cx("whitespace-nowrap font-mono text-xs", !to && "text-ink-2", className)}>
      {formatDuration(ms)}
    </span>
  );
}
