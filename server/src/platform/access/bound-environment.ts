import type { Caller } from "../context.ts";
import { ApiError } from "../errors/errors.ts";

/** The one environment that a caller is bound to; null: the caller may use all of the project. */
export function boundEnvironment(caller: Caller): string | null {
  return caller.kind === "api_key" ? caller.environment_id : null;
}

/** For objects shared by all environments: a caller bound to one environment could act in the others through them. */
export function refuseBoundKey(caller: Caller, what: string): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", `This key is bound to one environment; ${what} shared by the whole project.`);
}
