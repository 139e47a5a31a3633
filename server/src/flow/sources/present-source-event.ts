import type { SourceEvent } from "@millrace/contract/source-events";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { SourceEventRow } from "./source-rows.ts";

/** A key that is bound to an environment sees only the event's results there. */
export function presentSourceEvent({ caller }: ProjectCtx, { results, ...event }: SourceEventRow): SourceEvent {
  const bound = boundEnvironment(caller);
  const seen = bound === null ? results : results.filter(({ environment_id }) => environment_id === bound);
  return { ...event, results: seen.map(({ environment_id: _, ...result }) => result) };
}
