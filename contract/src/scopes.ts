/** What a key may be allowed to do. `*` is all of it. */

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
  "access",
  "audit",
  "analytics",
  "usage",
] as const;

export type Area = (typeof AREAS)[number];
export type Scope = `${Area}:read` | `${Area}:write` | "jobs:trigger" | "workflows:trigger" | "events:send";

export const SCOPES: readonly Scope[] = [
  ...AREAS.flatMap((area): Scope[] => [`${area}:read`, `${area}:write`]),
  "jobs:trigger",
  "workflows:trigger",
  "events:send",
];

/** Null stands for all scopes: of the caller when granting, of the project when held. */
export type ScopeList = readonly string[] | null;

export function holdsScope(held: ScopeList, scope: Scope): boolean {
  return held === null || held.includes("*") || held.includes(scope);
}

/** The scopes of `asked` that the holder of `held` may not give away. */
export function scopesBeyond(held: ScopeList, asked: ScopeList): string[] {
  if (held === null || held.includes("*")) return [];
  if (asked === null) return ["*"];
  return asked.filter((scope) => !held.includes(scope));
}

/** Every single scope behind a list, for showing. */
export function expandScopes(held: ScopeList): Scope[] {
  return SCOPES.filter((scope) => holdsScope(held, scope));
}
