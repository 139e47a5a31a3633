import { Tabs as Radix } from "radix-ui";
import type { FocusEvent, KeyboardEvent, MouseEvent, ReactNode } from "react";
import { formatShort } from "./format.ts";
import { useScrollSelectedIntoView } from "./table/use-scroll-selected-into-view.ts";

export type Tab = { id: string; label: string; count?: number | undefined; content: ReactNode };

/** Tabs controlled by the page: `value` is the id of the open tab. */
export function Tabs({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[];
  value: string;
  onChange: (id: string) => void;
  label: string;
}) {
  const shown = tabs.some(({ id }) => id === value) ? value : (tabs[0]?.id ?? "");
  const row = useScrollSelectedIntoView<HTMLDivElement>(shown);
  return (
    <Radix.Root value={shown} onValueChange={onChange} className="flex min-h-0 flex-col">
      <Radix.List ref={row} aria-label={label} className="flex gap-1 overflow-x-auto border-b">
        {tabs.map(({ id, label: name, count }) => (
          <Radix.Trigger
            key={id}
            value={id}
            {...WITHOUT_RING}
            className="-mb-px flex h-10 flex-none items-center gap-1.5 whitespace-nowrap border-transparent border-b-2 px-2.5 font-medium text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink data-pressed:outline-none"
          >
            {name}
            {count !== undefined && (
              <span className="rounded-full bg-hover px-1.5 text-ink-2 text-xs">{formatShort(count)}</span>
            )}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ id, content }) => (
        <Radix.Content key={id} value={id} className="min-h-0 pt-4 outline-none">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}

/** No focus ring on click. Radix focuses a clicked tab, which browsers treat like keyboard focus. */
const WITHOUT_RING = {
  onMouseDown: ({ currentTarget }: MouseEvent<HTMLElement>) => currentTarget.toggleAttribute("data-pressed", true),
  onKeyDown: ({ currentTarget }: KeyboardEvent<HTMLElement>) => currentTarget.removeAttribute("data-pressed"),
  onBlur: ({ currentTarget }: FocusEvent<HTMLElement>) => currentTarget.removeAttribute("data-pressed"),
};

type SegmentProps<T extends string> = {
  label: string;
  value: T;
  options: { id: T; label: ReactNode }[];
  onChange: (id: T) => void;
};

/** Segmented control. Scrolls where it does not fit. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentProps<T>) {
  const row = useScrollSelectedIntoView<HTMLDivElement>(value);
  return (
    <div ref={row} className="flex min-w-0 max-w-full overflow-x-auto">
      <fieldset className="inline-flex h-8 flex-none items-center rounded-sm border bg-surface p-0.5 pointer-coarse:h-10">
        <legend className="sr-only">{label}</legend>
        {options.map(({ id, label: name }) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === value}
            onClick={() => onChange(id)}
            className="h-full whitespace-nowrap rounded-xs px-2.5 font-medium text-ink-2 text-xs -outline-offset-2 hover:text-ink aria-pressed:bg-bg aria-pressed:text-ink aria-pressed:ring-1 aria-pressed:ring-border"
          >
            {name}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
