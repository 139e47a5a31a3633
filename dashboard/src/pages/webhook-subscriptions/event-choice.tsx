import { SUBSCRIBABLE_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";
import { cx } from "../../parts/class-names.ts";

const KINDS = [...new Set(SUBSCRIBABLE_EVENTS.filter((name) => name !== "*").map((name) => name.split(".")[0] ?? ""))];

/** The event types of a subscription: single ones, all of a kind, or all. */
export function EventChoice({ events, onChange }: { events: readonly string[]; onChange: (events: string[]) => void }) {
  const isAll = events.includes("*");
  const toggle = (name: string) => {
    if (events.includes(name)) return onChange(events.filter((each) => each !== name));
    const kind = name.endsWith(".*") ? name.slice(0, -1) : undefined;
    // A wildcard such as run.* includes its events.
    const others = events.filter((each) => name !== "*" && !(kind && each.startsWith(kind)));
    onChange([...others, name]);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium text-xs">Events</legend>
      <div className="flex max-h-56 flex-col gap-3 overflow-y-auto rounded-sm border p-3">
        <Choice name="*" label="All events" isOn={isAll} onToggle={toggle} />
        {KINDS.map((kind) => (
          <div key={kind} className="flex flex-wrap gap-x-4 gap-y-1">
            <Choice
              name={`${kind}.*`}
              isOn={isAll || events.includes(`${kind}.*`)}
              isOff={isAll}
              onToggle={toggle}
              isKind
            />
            {SUBSCRIBABLE_EVENTS.filter((name) => name.startsWith(`${kind}.`) && !name.endsWith("*")).map((name) => (
              <Choice
                key={name}
                name={name}
                isOn={isAll || events.includes(`${kind}.*`) || events.includes(name)}
                isOff={isAll || events.includes(`${kind}.*`)}
                onToggle={toggle}
              />
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}

type ChoiceProps = {
  name: string;
  label?: string;
  isOn: boolean;
  isOff?: boolean;
  isKind?: boolean;
  onToggle: (name: string) => void;
};

function Choice({ name, label = name, isOn, isOff, isKind, onToggle }: ChoiceProps) {
  return (
    <label className={cx("flex items-center gap-1.5 font-mono text-xs", isKind && "w-full font-semibold")}>
      <input type="checkbox" className="size-3.5" checked={isOn} disabled={isOff} onChange={() => onToggle(name)} />
      {label}
    </label>
  );
}
