import { TextField } from "../../../parts/form/text-field.tsx";

export const NO_OPTIONS = { tags: "", concurrency_key: "", idempotency_key: "", priority: "", delay_secs: "" };
export type Options = typeof NO_OPTIONS;

const FIELDS: { name: keyof Options; label: string; type: "text" | "number"; placeholder?: string }[] = [
  { name: "tags", label: "Tags", type: "text", placeholder: "region:eu, urgent" },
  { name: "concurrency_key", label: "Concurrency key", type: "text" },
  { name: "idempotency_key", label: "Idempotency key", type: "text" },
  { name: "priority", label: "Priority", type: "number", placeholder: "0" },
  { name: "delay_secs", label: "Delay (seconds)", type: "number", placeholder: "0" },
];

type Props = {
  options: Options;
  onChange: (options: Options) => void;
  /** Field errors returned by the service. */
  issues: { location: string; message: string }[];
};

/** Optional trigger fields. Empty ones are not sent. */
export function TriggerOptions({ options, onChange, issues }: Props) {
  const issueOf = (name: string) => issues.find(({ location }) => location.split(/[.[]/)[0] === name)?.message;
  const isRejected = FIELDS.some(({ name }) => issueOf(name) !== undefined);
  return (
    <details open={isRejected || undefined}>
      <summary className="cursor-pointer text-ink-2 text-xs">Tags, keys, priority, delay</summary>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {FIELDS.map(({ name, label, type, placeholder }) => (
          <TextField
            key={name}
            label={label}
            error={issueOf(name)}
            type={type}
            placeholder={placeholder}
            value={options[name]}
            onChange={(text) => onChange({ ...options, [name]: text })}
          />
        ))}
      </div>
    </details>
  );
}

export function optionsOf({ tags, concurrency_key, idempotency_key, priority, delay_secs }: Options) {
  return {
    ...(tags.trim() && { tags: tagsOf(tags) }),
    ...(concurrency_key && { concurrency_key }),
    ...(idempotency_key && { idempotency_key }),
    ...(priority && { priority: Number(priority) }),
    ...(delay_secs && { delay_secs: Number(delay_secs) }),
  };
}

/** `region:eu, urgent` */
function tagsOf(text: string): Record<string, string> {
  const pairs = text.split(",").map((each) => each.trim());
  return Object.fromEntries(
    pairs.filter(Boolean).map((pair) => {
      const at = pair.indexOf(":");
      return at === -1 ? [pair, "true"] : [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
