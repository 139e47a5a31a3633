import { LoaderCircle } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { cx } from "../class-names.ts";
import { Tooltip } from "../overlay/tooltip.tsx";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled"> & {
  kind?: "primary" | "default" | "quiet" | "danger";
  size?: "small" | "medium";
  icon?: ReactNode;
  busy?: boolean;
  disabled?: boolean;
  /** Why the button is disabled. It stays focusable, so that the reason can be read. */
  disabledReason?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
};

const KINDS = {
  primary: "bg-accent text-on-accent border-transparent hover:bg-accent-strong",
  default: "bg-bg text-ink border-border hover:bg-hover",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-hover hover:text-ink",
  danger: "bg-failed text-on-failed border-transparent hover:brightness-110",
};

const OFF = "bg-surface text-ink-3 border-border";
/** Larger on touch screens. */
const SIZES = {
  small: "h-7 px-2 text-xs gap-1.5 pointer-coarse:h-9",
  medium: "h-8 px-3 text-sm gap-2 pointer-coarse:h-10",
};

export function Button({
  kind = "default",
  size = "medium",
  icon,
  busy,
  disabled,
  disabledReason,
  children,
  ...rest
}: Props) {
  const isOff = disabled || busy || disabledReason !== undefined;
  const { className, onClick, ref, ...others } = rest;
  return (
    <Tooltip label={disabledReason}>
      <button
        type="button"
        ref={ref}
        {...others}
        disabled={(disabled || busy) && disabledReason === undefined}
        aria-disabled={isOff || undefined}
        aria-busy={busy || undefined}
        onClick={isOff ? (event) => event.preventDefault() : onClick}
        className={cx(
          "inline-flex flex-none items-center justify-center whitespace-nowrap rounded-sm border font-medium transition-colors duration-100",
          SIZES[size],
          isOff && !busy ? OFF : KINDS[kind],
          className,
        )}
      >
        {busy ? <LoaderCircle size={14} className="animate-spin" aria-hidden="true" /> : icon}
        {children}
      </button>
    </Tooltip>
  );
}
