import type { Caller } from "../context.ts";

/** The one environment that a caller is bound to; null: he has all of the project. */
export function boundEnvironment(caller: Caller): string | null {
  return caller.kind === "api_key" ? caller.environment_id : null;
}
