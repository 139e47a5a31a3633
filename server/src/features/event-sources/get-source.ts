import type { EventSource } from "@millrace/contract/event-sources";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentSource } from "./present-source.ts";
import { findSource } from "./queries.ts";

export async function getSource(ctx: ProjectCtx, ref: string): Promise<EventSource> {
  const row = await findSource(ctx, ref);
  if (!row) throw notFound("event source");
  return presentSource(ctx, row);
}
