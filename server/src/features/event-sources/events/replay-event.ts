import type { SourceEvent } from "@millrace/contract/source-events";
import { dispatchEvent } from "../../../flow/sources/dispatch-event.ts";
import { presentSourceEvent } from "../../../flow/sources/present-source-event.ts";
import { boundEnvironment } from "../../../platform/access/bound-environment.ts";
import { actorOf } from "../../../platform/actor.ts";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../../platform/context.ts";
import { requireEvent } from "./get-event.ts";

/** Dispatches an event to the current subscriptions as a new event, without deduplicating its id. */
export async function replayEvent(ctx: ProjectCtx, ref: string, id: string): Promise<SourceEvent> {
  const { source, event } = await requireEvent(ctx, ref, id);
  const { event_id, type, via, payload, metadata, parent_run_id, chain_depth } = event;
  const { caller } = ctx;
  const by = actorOf(caller);
  const incoming = {
    ...{ event_id, type, via, payload, metadata, parent_run_id, chain_depth },
    ...{ names: [], replay_of: event.id, received_by: by.name, received_by_id: by.id },
    environment_id: boundEnvironment(caller),
  };
  const named = { resource_type: "event_source", resource_id: source.id };
  const alongside = (tx: ProjectCtx & InTransaction, source_event_id: string) =>
    recordAudit(tx, { action: "event_source.event_replayed", ...named, after: { replay_of: id, source_event_id } });
  const replayed = await dispatchEvent(ctx, source, incoming, alongside);
  return presentSourceEvent(ctx, replayed.event);
}
