import type { ReactNode } from "react";

/** Names and values. Entries without a value are left out. */
export function Facts({ facts }: { facts: [string, ReactNode | null | undefined][] }) {
  return (
    <dl className="grid grid-cols-[minmax(96px,max-content)_1fr] gap-x-4 gap-y-1.5">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A section with a small heading. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h3 className="font-medium text-ink-2 text-xs">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  );
}
