import type { DrainAuth, LogDrain } from "@millrace/contract/deliveries/log-drains";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

type Target = { label: string; signal: LogDrain["signal"]; format: LogDrain["format"]; example: string };

/** What is sent, in which format. */
export const DESTINATIONS = {
  json: { label: "Logs as a JSON array", signal: "logs", format: "json", example: "https://example.com/logs" },
  ndjson: { label: "Logs as JSON lines", signal: "logs", format: "ndjson", example: "https://example.com/logs" },
  loki: {
    label: "Logs to Grafana Loki",
    signal: "logs",
    format: "loki",
    example: "https://loki.example.com/loki/api/v1/push",
  },
  otlp_logs: {
    label: "Logs over OTLP (OpenTelemetry)",
    signal: "logs",
    format: "otlp",
    example: "https://otlp.example.com/v1/logs",
  },
  otlp_traces: {
    label: "Traces over OTLP (OpenTelemetry)",
    signal: "traces",
    format: "otlp",
    example: "https://otlp.example.com/v1/traces",
  },
  otlp_metrics: {
    label: "Metrics over OTLP (OpenTelemetry)",
    signal: "metrics",
    format: "otlp",
    example: "https://otlp.example.com/v1/metrics",
  },
} as const satisfies Record<string, Target>;
export type Destination = keyof typeof DESTINATIONS;

export function destinationOf(drain: LogDrain | undefined): Destination {
  const found = Object.entries(DESTINATIONS).find(
    ([, { signal, format }]) => signal === drain?.signal && format === drain.format,
  );
  return (found?.[0] ?? "json") as Destination;
}

const TYPES: Choice[] = [
  ["none", "None"],
  ["bearer", "Bearer token"],
  ["basic", "User name and password"],
  ["header", "Header"],
];

type Props = {
  stored: LogDrain | undefined;
  /** Undefined: as stored. */
  auth: DrainAuth | undefined;
  onChange: (auth: DrainAuth | undefined) => void;
};

/** Credentials are stored encrypted and not shown again. */
export function DrainAuthFields({ stored, auth, onChange }: Props) {
  const kept: Choice[] = stored
    ? [["", `Keep the stored one (${stored.auth_type}${stored.auth_name ? `, ${stored.auth_name}` : ""})`]]
    : [];
  const set = (change: Partial<DrainAuth>) => auth && onChange({ ...auth, ...change });
  const secret = { type: "password", autoComplete: "off", required: true, maxLength: 4_096, mono: "small" } as const;
  return (
    <>
      <ChoiceField
        label="Authentication"
        choices={[...kept, ...TYPES]}
        value={auth?.type ?? (stored ? "" : "none")}
        onChange={(type) => onChange(type === "" ? undefined : ({ type } as DrainAuth))}
      />
      {auth?.type === "bearer" && (
        <TextField label="Token" {...secret} value={auth.token ?? ""} onChange={(token) => set({ token })} />
      )}
      {auth?.type === "basic" && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="User name"
            required
            autoComplete="off"
            value={auth.username ?? ""}
            onChange={(username) => set({ username })}
          />
          <TextField
            label="Password"
            {...secret}
            value={auth.password ?? ""}
            onChange={(password) => set({ password })}
          />
        </div>
      )}
      {auth?.type === "header" && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Header name"
            required
            autoComplete="off"
            value={auth.name ?? ""}
            onChange={(name) => set({ name })}
          />
          <TextField label="Header value" {...secret} value={auth.value ?? ""} onChange={(value) => set({ value })} />
        </div>
      )}
    </>
  );
}
