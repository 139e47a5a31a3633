/** Scopes of API keys, roles and tokens. `*` stands for all of them. */

export const AREAS = [
  "projects",
  "environments",
  "api-keys",
  "jobs",
  "runs",
  "workflows",
  "events",
  "webhooks",
  "drains",
  "outbox",
  "access",
  "audit",
  "alerts",
  "analytics",
  "usage",
] as const;

export type Area = (typeof AREAS)[number];
export type Scope =
  | `${Area}:read`
  | `${Area}:write`
  | "jobs:trigger"
  | "workflows:trigger"
  | "events:send"
  | "runs:work";

export const SCOPES: readonly Scope[] = [
  ...AREAS.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`]),
  "jobs:trigger",
  "workflows:trigger",
  "events:send",
  "runs:work",
];

/** Null means all scopes: those of the caller when granting, those of the project when held. */
export type ScopeList = readonly string[] | null;

export function holdsScope(held: ScopeList, scope: Scope): boolean {
  return held === null || held.includes("*") || held.includes(scope);
}

/** The scopes of `asked` that the holder of `held` cannot grant. */
export function scopesBeyond(held: ScopeList, asked: ScopeList): string[] {
  if (held === null || held.includes("*")) return [];
  if (asked === null) return ["*"];
  return asked.filter((scope) => !held.includes(scope));
}

/** Expands a list to single scopes, for display. */
export function expandScopes(held: ScopeList): Scope[] {
  return SCOPES.filter((scope) => holdsScope(held, scope));
}
