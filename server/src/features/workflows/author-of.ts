import type { CallerCtx } from "../../platform/context.ts";

/** Identifies a caller for comparison, because names may be shared. All holders of the internal secret count as one. */
export function authorOf({ caller }: CallerCtx): string {
  if (caller.kind === "member") return `member:${caller.subject}`;
  return caller.kind === "api_key" ? `api_key:${caller.key_id}` : caller.kind;
}
