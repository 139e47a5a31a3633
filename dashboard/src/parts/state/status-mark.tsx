import { cx } from "../class-names.ts";
import { MARK_SHAPES, type MarkShape } from "./mark-shapes.tsx";
import { FAMILY_TEXT, lookOf } from "./statuses.ts";

type Props = {
  status: string;
  /** Overrides the label. */
  label?: string;
  /** `mark`: icon with an accessible name. `text`: icon and label. `badge`: both, with a border. */
  as?: "mark" | "text" | "badge";
};

/** A status by shape, label and color. Status colors are for icons, not for text. */
export function StatusMark({ status, label, as = "text" }: Props) {
  const look = lookOf(status);
  const name = label ?? look.label;
  const mark = <MarkIcon shape={look.shape} className={FAMILY_TEXT[look.family]} />;
  if (as === "mark") {
    return (
      <span role="img" data-status={status} aria-label={name} title={name} className="inline-flex">
        {mark}
      </span>
    );
  }
  return (
    <span
      data-status={status}
      className={cx(
        "inline-flex min-w-0 max-w-full items-center gap-1.5 whitespace-nowrap align-middle",
        as === "badge" && cx("status-tint h-6 rounded-full border px-2 text-xs font-medium", FAMILY_TEXT[look.family]),
      )}
    >
      {mark}
      <span className="truncate text-ink" title={label}>
        {name}
      </span>
    </span>
  );
}

export function MarkIcon({ shape, className }: { shape: MarkShape; className?: string | undefined }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width="14"
      height="14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={cx("flex-none", className)}
    >
      {MARK_SHAPES[shape]}
    </svg>
  );
}
