import { X } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { cx } from "../class-names.ts";
import { IconButton } from "../form/icon-button.tsx";
import { MarkIcon } from "../state/status-mark.tsx";

/** Custom, because toast libraries add styles, which the Content Security Policy forbids. */
export type Toast = {
  title: string;
  detail?: ReactNode;
  tone?: "good" | "warn" | "bad" | "plain";
  action?: { label: string; onClick: () => void };
  /** Null: until closed. */
  lastsMs?: number | null;
  /** A toast with the same key is replaced. */
  key?: string;
};

type Shown = Toast & { key: string };

const MAX = 4;
const LASTS_MS = 6_000;
const ACTION_LASTS_MS = 20_000;
const listeners = new Set<() => void>();
let shown: readonly Shown[] = [];
let nth = 0;

/** Shows a toast. Returns a function that closes it. */
export function toast(given: Toast): () => void {
  nth += 1;
  const key = given.key ?? `toast-${nth}`;
  replace([...shown.filter((each) => each.key !== key), { ...given, key }].slice(-MAX));
  return () => closeToast(key);
}

function closeToast(key: string): void {
  replace(shown.filter((each) => each.key !== key));
}

function replace(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
}

/** Rendered once, in the shell. */
export function Toasts() {
  const toasts = useSyncExternalStore(listen, () => shown);
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-[min(380px,calc(100vw-32px))] flex-col gap-2"
    >
      {toasts.map((each) => (
        <ToastCard key={each.key} toast={each} />
      ))}
    </section>
  );
}

const MARKS = {
  good: { shape: "check", className: "text-success" },
  warn: { shape: "again", className: "text-retrying" },
  bad: { shape: "octagon", className: "text-failed" },
  plain: { shape: "circle", className: "text-ink-3" },
} as const;

/** Stays while hovered or focused. Toasts with an action stay longer, for keyboard users. */
function ToastCard({ toast: { key, title, detail, tone = "good", action, ...rest } }: { toast: Shown }) {
  const { lastsMs = action ? ACTION_LASTS_MS : LASTS_MS } = rest;
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    if (lastsMs === null || isPaused) return;
    const timer = setTimeout(() => closeToast(key), lastsMs);
    return () => clearTimeout(timer);
  }, [key, lastsMs, isPaused]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer
    <div
      className="floating pointer-events-auto flex animate-appear items-start gap-2.5 p-3"
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      <MarkIcon shape={MARKS[tone].shape} className={cx("mt-[3px]", MARKS[tone].className)} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {detail && <div className="mt-0.5 text-ink-2">{detail}</div>}
        {action && (
          <button type="button" className="mt-1.5 font-medium text-accent hover:underline" onClick={action.onClick}>
            {action.label}
          </button>
        )}
      </div>
      <IconButton label="Close message" icon={<X size={14} />} size="small" onClick={() => closeToast(key)} />
    </div>
  );
}
