import type { ReactNode } from "react";
import { cx } from "../class-names.ts";

type Props = {
  children: ReactNode;
  tone?: "neutral" | "accent" | "warn" | "danger" | "good";
  mono?: boolean;
  title?: string;
};

const TONES = {
  neutral: "text-ink-2",
  accent: "text-accent",
  warn: "text-retrying-ink",
  danger: "text-failed-ink",
  good: "text-success-ink",
};

/** A label for a tag, version or count. Statuses use StatusMark. */
export function Badge({ children, tone = "neutral", mono, title }: Props) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex h-5 max-w-full items-center truncate rounded-full border bg-surface px-2 text-xs",
        TONES[tone],
        mono && "font-mono",
      )}
    >
      <span className="truncate">{children}</span>
    </span>
  );
}
