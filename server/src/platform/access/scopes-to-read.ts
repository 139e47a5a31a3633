import type { Scope } from "@millrace/contract/access/scopes";

const READ_WITH: [RegExp, Scope][] = [
  // Alerts and error issues quote the errors of runs.
  [/^(\*|(run|alert|error_issue)\.)/, "runs:read"],
  [/^(\*|workflow_run\.)/, "workflows:read"],
  [/^(\*|event_trigger\.)/, "events:read"],
  [/^(\*|alert\.)/, "alerts:read"],
  [/^(\*|error_issue\.)/, "analytics:read"],
];

/** The scopes needed to read these events. */
export function scopesToRead(events: readonly string[]): Scope[] {
  return READ_WITH.filter(([pattern]) => events.some((event) => pattern.test(event))).map(([, scope]) => scope);
}
