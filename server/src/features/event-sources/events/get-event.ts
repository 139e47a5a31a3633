import type { SourceEvent } from "@millrace/contract/source-events";
import { presentSourceEvent } from "../../../flow/sources/present-source-event.ts";
import { findSourceEvent, type SourceEventRow } from "../../../flow/sources/source-rows.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { notFound } from "../../../platform/errors/errors.ts";
import { isId } from "../../../platform/ids.ts";
import { findSource, type SourceRow } from "../queries.ts";

export async function getEvent(ctx: ProjectCtx, ref: string, id: string): Promise<SourceEvent> {
  const { event } = await requireEvent(ctx, ref, id);
  return presentSourceEvent(ctx, event);
}

export async function requireEvent(
  ctx: ProjectCtx,
  ref: string,
  id: string,
): Promise<{ source: SourceRow; event: SourceEventRow }> {
  const source = await findSource(ctx, ref);
  if (!source) throw notFound("event source");
  const event = isId(id) ? await findSourceEvent(ctx, ctx.project_id, id) : undefined;
  if (event?.source_id !== source.id) throw notFound("event");
  return { source, event };
}
