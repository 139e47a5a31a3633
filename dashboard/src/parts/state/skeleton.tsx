import { cx } from "../class-names.ts";

/** Loading placeholder. Visible only after 200 ms, so that fast responses do not flicker. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden="true" className={cx("block animate-late rounded-sm bg-hover", className ?? "h-4 w-full")} />
  );
}

const WIDTHS = ["w-3/5", "w-4/5", "w-2/3", "w-1/2"];

export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  return (
    <div className="flex flex-col gap-3" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <Skeleton key={nth} className={cx("h-4", WIDTHS[nth % WIDTHS.length])} />
      ))}
    </div>
  );
}
