import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { STALE } from "./state/stale.ts";

type Props = { title: ReactNode; count?: ReactNode; lead?: ReactNode; actions?: ReactNode; children?: ReactNode };

/** Page header: title and actions. */
export function PageHeader({ title, count, lead, actions, children }: Props) {
  return (
    <header className="flex flex-none flex-col gap-3 px-3 pt-4 sm:px-4 lg:px-6 lg:pt-5">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        {lead}
        <h1 tabIndex={-1} className="min-w-0 truncate font-semibold text-xl tracking-[-0.01em] outline-none">
          {title}
        </h1>
        {count !== undefined && <span className="text-ink-3">{count}</span>}
        {actions && <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{actions}</div>}
      </div>
      {children}
    </header>
  );
}

/** `isStale`: the content is stale while another range loads. */
type BodyProps = { children: ReactNode; className?: string; isStale?: boolean };

/** Body of a page that scrolls as a whole. Lists fill the page themselves. */
export function PageBody({ children, className, isStale = false }: BodyProps) {
  return (
    <div
      aria-busy={isStale}
      className={cx("mx-auto w-full max-w-[1600px] px-3 py-4 sm:px-4 lg:px-6", isStale && STALE, className)}
    >
      {children}
    </div>
  );
}
