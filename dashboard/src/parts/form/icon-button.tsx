import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { cx } from "../class-names.ts";
import { Tooltip } from "../overlay/tooltip.tsx";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label"> & {
  /** Accessible name and tooltip. */
  label: string;
  icon: ReactNode;
  size?: "small" | "medium";
  keys?: string;
  pressed?: boolean;
  /** Why the button is disabled. */
  disabledReason?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
};

export function IconButton({
  label,
  icon,
  size = "medium",
  keys,
  pressed,
  disabledReason,
  className,
  onClick,
  ...rest
}: Props) {
  return (
    <Tooltip label={disabledReason ?? label} {...(keys && { keys })}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-pressed={pressed}
        aria-disabled={disabledReason !== undefined || undefined}
        onClick={disabledReason === undefined ? onClick : (event) => event.preventDefault()}
        className={cx(
          "inline-grid flex-none place-items-center rounded-sm text-ink-2 transition-colors duration-100 hover:bg-hover hover:text-ink",
          "aria-disabled:text-ink-3 aria-disabled:hover:bg-transparent aria-pressed:bg-hover aria-pressed:text-ink",
          "disabled:text-ink-3 disabled:hover:bg-transparent",
          size === "small" ? "size-6 pointer-coarse:size-8" : "size-8 pointer-coarse:size-10",
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
