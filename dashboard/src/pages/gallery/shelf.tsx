import type { ReactNode } from "react";

/** One component of the gallery: its name and its states side by side. */
export function Shelf({ name, children, column }: { name: string; children: ReactNode; column?: boolean }) {
  return (
    <section aria-label={name} className="grid gap-3 border-t pt-4 md:grid-cols-[140px_1fr]">
      <h2 className="font-medium text-ink-2">{name}</h2>
      <div className={column ? "flex min-w-0 flex-col gap-4" : "flex min-w-0 flex-wrap items-center gap-3"}>
        {children}
      </div>
    </section>
  );
}
