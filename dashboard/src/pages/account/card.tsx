import type { ReactNode } from "react";

type Props = { title: string; actions?: ReactNode; children: ReactNode };

/** A section of the page. */
export function Card({ title, actions, children }: Props) {
  return (
    <section aria-label={title} className="card overflow-hidden">
      <div className="flex min-h-12 items-center justify-between gap-2 border-b py-2 pr-2 pl-4">
        <h2 className="font-medium">{title}</h2>
        <div className="flex flex-wrap justify-end gap-2">{actions}</div>
      </div>
      <div className="px-4 py-2">{children}</div>
    </section>
  );
}
