import type { ReactNode } from "react";
import { cx } from "../class-names.ts";
import { Link } from "../link.tsx";
import { Skeleton } from "../state/skeleton.tsx";

type Props = {
  label: string;
  /** Undefined while loading. The height is reserved. */
  value: ReactNode | undefined;
  hint?: ReactNode;
  /** Change from the previous period: 0.12 is 12 % more. */
  change?: number;
  isMoreBetter?: boolean;
  chart?: ReactNode;
  href?: string;
};

const part = new Intl.NumberFormat(undefined, {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});

/** A key figure and its change. */
export function Stat({ label, value, hint, change, isMoreBetter = true, chart, href }: Props) {
  const body = (
    <>
      <span className="text-ink-2 text-xs font-medium">{label}</span>
      <span className="flex h-9 items-end justify-between gap-2">
        <span className="max-w-full flex-none truncate font-semibold text-2xl tracking-[-0.02em]">
          {value ?? <Skeleton className="mb-1 h-6 w-20" />}
        </span>
        {chart && <span className="flex min-w-0 justify-end overflow-hidden">{chart}</span>}
      </span>
      <span className="flex min-h-4 items-center gap-1.5 text-ink-3 text-xs">
        {change !== undefined && (
          <span
            className={cx(
              "flex-none whitespace-nowrap",
              change !== 0 && (change > 0 === isMoreBetter ? "text-success-ink" : "text-failed-ink"),
            )}
          >
            {change > 0 ? "↑" : change < 0 ? "↓" : "→"} {part.format(change)}
          </span>
        )}
        <span className="sm:truncate" title={typeof hint === "string" ? hint : undefined}>
          {hint}
        </span>
      </span>
    </>
  );
  const look = "card flex min-w-0 flex-col gap-1 px-4 py-3";
  return href === undefined ? (
    <div className={look}>{body}</div>
  ) : (
    <Link href={href} className={`${look} hover:bg-surface`}>
      {body}
    </Link>
  );
}
