import type { ReactNode } from "react";
import { Progress } from "../../../parts/chart/progress.tsx";
import { cx } from "../../../parts/class-names.ts";
import { StatusMark } from "../../../parts/state/status-mark.tsx";

type Props = {
  label: string;
  used: number | undefined;
  /** Null: no limit. */
  max: number | null;
  /** The count is a lower bound. */
  isLowerBound?: boolean;
  isKey?: boolean;
  /** When a slot becomes free, if the limit is reached. */
  note?: ReactNode;
};

/** Usage of a limit. A reached limit is also shown as text. */
export function LimitGauge({ label, used, max, isLowerBound = false, isKey = false, note }: Props) {
  const isFull = max !== null && used !== undefined && used >= max;
  return (
    <div className="card flex flex-col gap-2 px-4 py-3">
      <div className="flex items-center justify-between gap-3">
        <span className={cx("min-w-0 truncate", isKey && "font-mono text-xs")} title={label}>
          {label}
        </span>
        <span className="flex flex-none items-center gap-2">
          {isFull && <StatusMark status="expiring" label="At limit" />}
          {note}
          <span className="font-mono text-xs">
            {used === undefined ? "–" : `${used}${isLowerBound ? "+" : ""}`}{" "}
            <span className="text-ink-3">{max === null ? "(no limit)" : `of ${max}`}</span>
          </span>
        </span>
      </div>
      {max !== null && (
        <Progress
          label={label}
          value={Math.min(used ?? 0, max)}
          total={max}
          parts={[{ label, value: Math.min(used ?? 0, max), className: isFull ? "bg-retrying" : "bg-accent" }]}
        />
      )}
    </div>
  );
}
