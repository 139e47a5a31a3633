import { CalendarClock, ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { useId, useState } from "react";
import { cx } from "../class-names.ts";
import { Button } from "../form/button.tsx";
import { formatInstant } from "../format.ts";
import { useSettings } from "../settings.ts";

export const RANGES = ["15m", "1h", "24h", "7d", "30d"] as const;
const NAMES: Record<string, string> = {
  "15m": "Last 15 minutes",
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};
const MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Value in the URL: `24h`, or `<from>~<to>` as instants. */
export function boundsOf(range: string, now = Date.now()): { from: Date; to: Date } | undefined {
  const [, amount, unit] = /^(\d+)([mhd])$/.exec(range) ?? [];
  if (amount && unit) return { from: new Date(now - Number(amount) * (MS[unit] ?? 0)), to: new Date(now) };
  const [from, to] = range.split("~").map((each) => new Date(each));
  return from && to && !Number.isNaN(from.getTime()) && !Number.isNaN(to.getTime()) ? { from, to } : undefined;
}

type Props = { value: string | undefined; onChange: (range: string | undefined) => void; allTime?: boolean };

/** Time range picker. */
export function TimeRange({ value, onChange, allTime }: Props) {
  const [isOpen, setOpen] = useState(false);
  const choose = (range: string | undefined) => {
    onChange(range);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button icon={<CalendarClock size={15} className="text-ink-3" />}>
          <span className="max-w-60 truncate">
            <RangeName value={value} />
          </span>
          <ChevronDown size={14} className="text-ink-3" />
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Time range"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="floating z-50 w-64 animate-appear p-1"
        >
          {allTime && <Choice label="All time" isChosen={value === undefined} onChoose={() => choose(undefined)} />}
          {RANGES.map((range) => (
            <Choice
              key={range}
              label={NAMES[range] ?? range}
              isChosen={value === range}
              onChoose={() => choose(range)}
            />
          ))}
          <CustomRange value={value} onChoose={choose} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function RangeName({ value }: { value: string | undefined }) {
  const { zone } = useSettings();
  if (value === undefined) return "All time";
  if (NAMES[value]) return NAMES[value];
  const bounds = boundsOf(value);
  if (!bounds || !value.includes("~")) return `Last ${value}`;
  return `${formatInstant(bounds.from.getTime(), zone)} – ${formatInstant(bounds.to.getTime(), zone)}`;
}

function Choice({ label, isChosen, onChoose }: { label: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={cx(
        "flex h-8 w-full items-center rounded-sm px-2 text-left hover:bg-hover",
        isChosen && "bg-selected font-medium",
      )}
    >
      {label}
    </button>
  );
}

function CustomRange({ value, onChoose }: { value: string | undefined; onChoose: (range: string) => void }) {
  const bounds = value === undefined ? undefined : boundsOf(value);
  const [from, setFrom] = useState(bounds ? forField(bounds.from) : "");
  const [to, setTo] = useState(bounds ? forField(bounds.to) : "");
  const id = useId();
  const isRight = from !== "" && to !== "" && from < to;
  return (
    <div className="mt-1 flex flex-col gap-2 border-t p-2">
      <label htmlFor={`${id}-from`} className="flex items-center gap-2 text-ink-2 text-xs">
        <span className="w-9">From</span>
        <input
          id={`${id}-from`}
          type="datetime-local"
          className="field text-xs"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <label htmlFor={`${id}-to`} className="flex items-center gap-2 text-ink-2 text-xs">
        <span className="w-9">To</span>
        <input
          id={`${id}-to`}
          type="datetime-local"
          className="field text-xs"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </label>
      <Button
        size="small"
        kind="primary"
        disabledReason={isRight ? undefined : "Enter a start and a later end."}
        onClick={() => onChoose(`${new Date(from).toISOString()}~${new Date(to).toISOString()}`)}
      >
        Apply
      </Button>
    </div>
  );
}

function forField(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
