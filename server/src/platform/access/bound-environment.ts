import type { Caller } from "../context.ts";
import { ApiError } from "../errors.ts";

/** The one environment that a caller is bound to; null: he has all of the project. */
export function boundEnvironment(caller: Caller): string | null {
  return caller.kind === "api_key" ? caller.environment_id : null;
}

/** For what belongs to all environments alike: who is bound to one would act in the others through it. */
export function refuseBoundKey(caller: Caller, what: string): void {
  if (boundEnvironment(caller) === null) return;
  throw new ApiError("forbidden", `This key is bound to one environment; ${what} of the whole project.`);
}
