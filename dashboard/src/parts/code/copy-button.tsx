import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { cx } from "../class-names.ts";
import { toast } from "../overlay/toasts.tsx";
import { copyText } from "./copy-text.ts";

type Props = { text: string | (() => string); label?: string; className?: string; onCopied?: () => void };

/** Copies a text and confirms it. */
export function CopyButton({ text, label = "Copy", className, onCopied }: Props) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1_600);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = async () => {
    const copied = await copyText(typeof text === "string" ? text : text());
    setDone(copied);
    if (copied) onCopied?.();
    else toast({ tone: "warn", title: "The browser blocked copying. Select the text and copy it manually." });
  };
  return (
    <button
      type="button"
      aria-label={isDone ? "Copied" : label}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
      className={cx(
        "inline-grid size-6 flex-none place-items-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink",
        className,
      )}
    >
      {isDone ? (
        <Check size={13} className="text-success-ink" aria-hidden="true" />
      ) : (
        <Copy size={13} aria-hidden="true" />
      )}
    </button>
  );
}
