import type { DispatchEvent, SourceEvent } from "@millrace/contract/events/source-events";
import { dispatchEvent as dispatch } from "../../flow/sources/dispatch-event.ts";
import { findSource, presentSourceEvent } from "../../flow/sources/source-rows.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { actorOf } from "../../platform/actor.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import type { RouteReply } from "../../platform/route.ts";
import { hasRun } from "./queries.ts";

/**
 * Dispatches an event to the subscriptions of its source, and returns the result of each. 200: it was dispatched
 * before.
 */
export async function dispatchEvent(ctx: ProjectCtx, body: DispatchEvent, reply: RouteReply): Promise<SourceEvent> {
  const { caller } = ctx;
  const by = actorOf(caller);
  const source = await findSource(ctx, ctx.project_id, body.source);
  if (!source) throw invalid("body.source", "is not an event source of this project", body.source);
  const { id = null, type = null, payload = {}, metadata = {}, parent_run_id = null } = body;
  if (parent_run_id !== null && !(await hasRun(ctx, parent_run_id))) {
    throw invalid("body.parent_run_id", "is not a run of this project", parent_run_id);
  }
  const { event, is_duplicate } = await dispatch(ctx, source, {
    ...{ event_id: id, type, payload, metadata, parent_run_id, via: "dispatch", replay_of: null },
    identities: id === null ? [] : [`id:${id}`],
    received_by: by.name,
    received_by_id: by.id,
    environment_id: boundEnvironment(caller),
  });
  if (is_duplicate) reply.status(200);
  return { ...presentSourceEvent(ctx, event), duplicate: is_duplicate };
}
