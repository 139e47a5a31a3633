import type { CallerCtx } from "../../platform/context.ts";

/** Who a caller is, for comparing: names may be shared. Whoever holds the internal secret is one and the same. */
export function authorOf({ caller }: CallerCtx): string {
  if (caller.kind === "member") return `member:${caller.subject}`;
  return caller.kind === "api_key" ? `api_key:${caller.key_id}` : caller.kind;
}
