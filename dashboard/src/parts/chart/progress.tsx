import { cx } from "../class-names.ts";

type ProgressPart = { label: string; value: number; className: string };

type Props = { label: string; value: number | null; total?: number; parts?: ProgressPart[]; className?: string };

/** Progress bar. Null: indeterminate. `parts` are its segments, for example succeeded, failed and skipped. */
export function Progress({ label, value, total = 100, parts, className }: Props) {
  const shown = parts ?? [{ label, value: value ?? 0, className: "bg-accent" }];
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={value ?? undefined}
      className={cx("flex h-1.5 w-full overflow-hidden rounded-full bg-hover", className)}
    >
      {value === null ? (
        <span className="h-full w-1/3 animate-breathe rounded-full bg-running" />
      ) : (
        shown.map((part) => (
          <span
            key={part.label}
            title={`${part.label}: ${part.value}`}
            className={cx("h-full transition-[width] duration-100", part.className)}
            style={{ width: `${total > 0 ? (100 * part.value) / total : 0}%` }}
          />
        ))
      )}
    </div>
  );
}
