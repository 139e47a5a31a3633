import type { AuditEvent, ListAuditEventsQuery } from "@millrace/contract/audit-events";
import type { ProjectCtx } from "../../platform/context.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { readSpan } from "../../platform/listing/read-span.ts";
import { type EventRow, listEvents } from "./queries.ts";

export async function listAuditEvents(ctx: ProjectCtx, query: ListAuditEventsQuery) {
  const page = readPage(ctx, "audit-events", query, "e");
  const { data, ...rest } = presentPage(ctx, page, await listEvents(ctx, page, readSpan(query)));
  return { data: data.map(presentEvent), ...rest };
}

export function presentEvent(row: EventRow): AuditEvent {
  return { ...row, sealed: row.chain_no !== null } as AuditEvent;
}
