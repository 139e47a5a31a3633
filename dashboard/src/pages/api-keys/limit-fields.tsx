import type { ApiKey } from "@millrace/contract/access/api-keys";
import { TextField } from "../../parts/form/text-field.tsx";

type Limits = NonNullable<ApiKey["rate_limits"]>;

const LIMITS: [keyof Limits, string][] = [
  ["requests_per_minute", "Requests per minute"],
  ["triggers_per_minute", "Triggers per minute"],
  ["bulk_per_minute", "Bulk triggers per minute"],
];

/** Rate limits of a key. If a field is empty, the limit per client address applies. */
export function LimitFields({ limits }: { limits: ApiKey["rate_limits"] }) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {LIMITS.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          name={name}
          type="number"
          min={1}
          max={10_000_000}
          placeholder="default"
          defaultValue={limits?.[name] ?? ""}
        />
      ))}
    </div>
  );
}

export function limitsOf(form: FormData): Limits {
  const of = (name: keyof Limits) => Number(form.get(name)) || null;
  return {
    requests_per_minute: of("requests_per_minute"),
    triggers_per_minute: of("triggers_per_minute"),
    bulk_per_minute: of("bulk_per_minute"),
  };
}

/** `600 requests, 60 triggers a minute`, or that the limits per client address apply. */
export function limitsText(limits: ApiKey["rate_limits"]): string {
  const [requests, triggers, bulk] = LIMITS.map(([name]) => limits?.[name]?.toLocaleString("en"));
  const named = [
    requests && `${requests} requests`,
    triggers && `${triggers} triggers`,
    bulk && `${bulk} bulk triggers`,
  ];
  const own = named.filter(Boolean).join(", ");
  return own === "" ? "default, per client address" : `${own} a minute`;
}
