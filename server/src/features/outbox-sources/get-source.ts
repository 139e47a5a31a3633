import type { OutboxSource } from "@millrace/contract/events/outbox-sources";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { findSource, presentSource } from "./queries.ts";

export async function getSource(ctx: ProjectCtx, id: string): Promise<OutboxSource> {
  const row = await findSource(ctx, id);
  if (!row) throw notFound("outbox source");
  return presentSource(row);
}
