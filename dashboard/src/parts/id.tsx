import { cx } from "./class-names.ts";
import { CopyButton } from "./code/copy-button.tsx";

type Props = { value: string; head?: number; tail?: number; copy?: boolean; className?: string };

/** An id shortened in the middle; full on hover and when copied. */
export function Id({ value, head = 4, tail = 6, copy = true, className }: Props) {
  return (
    <span className={cx("group/id inline-flex min-w-0 items-center gap-0.5", className)}>
      <code className="truncate font-mono text-xs" title={value}>
        {shortId(value, head, tail)}
      </code>
      {copy && (
        <CopyButton
          text={value}
          label="Copy id"
          className="-my-1 opacity-0 focus-visible:opacity-100 group-hover/id:opacity-100 max-sm:hidden"
        />
      )}
    </span>
  );
}

export function shortId(value: string, head = 4, tail = 6): string {
  return value.length <= head + tail + 1 ? value : `${value.slice(0, head)}…${value.slice(-tail)}`;
}
