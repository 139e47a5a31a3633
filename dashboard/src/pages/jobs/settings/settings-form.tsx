import { type Choice, ChoiceField } from "../../../parts/form/choice-field.tsx";
import { TextField } from "../../../parts/form/text-field.tsx";
import { cronWords } from "../../cron-words.ts";
import { DELIVERY_CHOICES, useQueueChoices } from "./delivery-choices.ts";

type Props = { settings: Record<string, unknown>; onChange: (changed: Record<string, unknown>) => void };

type Field = { name: string; label: string; kind: "text" | "number"; hint?: string; isPushOnly?: boolean };

const FIELDS: Field[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "endpoint_url", label: "Endpoint", kind: "text", isPushOnly: true },
  { name: "timeout_secs", label: "Attempt timeout (seconds)", kind: "number" },
  {
    name: "unreachable_timeout_secs",
    label: "Wait for an unreachable endpoint (seconds)",
    kind: "number",
    isPushOnly: true,
  },
  { name: "max_attempts", label: "Max. attempts", kind: "number" },
  { name: "max_concurrency", label: "Max. concurrency", kind: "number", hint: "Leave empty for no limit." },
  {
    name: "max_concurrency_per_key",
    label: "Max. concurrency per key",
    kind: "number",
    hint: "Leave empty for no limit.",
  },
  { name: "priority", label: "Priority", kind: "number" },
  { name: "cron", label: "Cron", kind: "text" },
  { name: "timezone", label: "Time zone", kind: "text" },
];
const STRATEGIES = ["exponential", "linear", "fixed", "custom"].map((each): Choice => [each, each]);

/** The most common settings. The JSON next to the form has all of them. */
export function SettingsForm({ settings, onChange }: Props) {
  const { cron, retry_strategy, enabled, delivery, queue } = settings;
  const queues = useQueueChoices(String(queue));
  const fields = FIELDS.filter(({ isPushOnly }) => !isPushOnly || delivery !== "pull");
  return (
    <div className="flex flex-col gap-3">
      <ChoiceField
        label="Delivery"
        choices={DELIVERY_CHOICES}
        value={String(delivery)}
        onChange={(to) => onChange(to === "pull" ? { delivery: to, endpoint_url: null } : { delivery: to })}
      />
      <ChoiceField
        label="Queue"
        choices={queues}
        value={String(queue)}
        onChange={(name) => onChange({ queue: name })}
      />
      {fields.map(({ name, label, kind, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={name === "cron" && typeof cron === "string" ? cronWords(cron) : hint}
          type={kind}
          value={String(settings[name] ?? "")}
          onChange={(text) => onChange({ [name]: typedValue(text, kind) })}
        />
      ))}
      <ChoiceField
        label="Retry backoff"
        choices={STRATEGIES}
        value={String(retry_strategy)}
        onChange={(strategy) => onChange({ retry_strategy: strategy })}
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-3.5"
          checked={enabled !== false}
          onChange={(event) => onChange({ enabled: event.target.checked })}
        />
        Enabled
      </label>
    </div>
  );
}

function typedValue(text: string, kind: Field["kind"]): unknown {
  if (text === "") return null;
  return kind === "number" ? Number(text) : text;
}
