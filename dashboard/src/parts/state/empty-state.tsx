import type { ReactNode } from "react";
import { cx } from "../class-names.ts";

type Props = {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  code?: ReactNode;
  small?: boolean;
};

/** Empty state: the reason, what to do, and example code. */
export function EmptyState({ icon, title, children, action, code, small }: Props) {
  return (
    <div
      className={cx(
        "mx-auto flex w-full min-w-0 max-w-[560px] flex-col items-center text-center",
        small ? "gap-2 px-4 py-8" : "gap-3 px-6 py-14",
      )}
    >
      {icon && <div className="grid size-10 place-items-center rounded-full bg-surface text-ink-3">{icon}</div>}
      <h2 className="font-semibold text-base">{title}</h2>
      {children && <div className="text-balance text-ink-2">{children}</div>}
      {action && <div className="mt-1 flex flex-wrap justify-center gap-2">{action}</div>}
      {code && <div className="mt-2 w-full text-left">{code}</div>}
    </div>
  );
}
