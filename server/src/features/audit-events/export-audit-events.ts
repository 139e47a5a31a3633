import { Readable } from "node:stream";
import type { ExportAuditEventsQuery } from "@millrace/contract/projects/audit-events";
import type { ProjectCtx } from "../../platform/context.ts";
import { readSpan } from "../../platform/listing/filters.ts";
import type { RouteReply } from "../../platform/route.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import { findHead, presentHead } from "./heads.ts";
import { type AuditFilter, type EventRow, presentEvent, readEvents } from "./queries.ts";

/** Small events are sent together. */
const PART_CHARACTERS = 65_536;

/**
 * Streams all matching events, oldest first. An NDJSON export ends with the signed head of the chain, so it can be
 * verified offline.
 */
export async function exportAuditEvents(
  ctx: ProjectCtx,
  { format = "ndjson", ...query }: ExportAuditEventsQuery,
  reply: RouteReply,
) {
  const filter = readSpan(query);
  reply.header("content-type", format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
  reply.header("content-disposition", `attachment; filename="audit-events.${format}"`);
  return Readable.from(format === "csv" ? writeCsv(ctx, filter) : writeLines(ctx, filter));
}

async function* writeLines(ctx: ProjectCtx, filter: AuditFilter): AsyncGenerator<string> {
  // Read first, so that every event it counts is read after it.
  const head = await findHead(ctx, ctx.project_id);
  yield* writeParts(readEvents(ctx, filter), (event) => `${JSON.stringify(presentEvent(event))}\n`);
  if (head) yield `${JSON.stringify({ head: presentHead(ctx, head) })}\n`;
}

async function* writeCsv(ctx: ProjectCtx, filter: AuditFilter): AsyncGenerator<string> {
  yield csvHeader();
  yield* writeParts(readEvents(ctx, filter), csvLine);
}

/** Event by event: the change of a workflow of a megabyte takes tens of milliseconds. */
async function* writeParts(pages: AsyncIterable<EventRow[]>, write: (event: EventRow) => string) {
  for await (const events of pages) {
    let part = "";
    for (const event of events) {
      await yieldToEventLoop();
      part += write(event);
      if (part.length < PART_CHARACTERS) continue;
      yield part;
      part = "";
    }
    if (part !== "") yield part;
  }
}

const COLUMNS = [
  ...["created_at", "id", "actor_kind", "actor_id", "actor_name", "action", "resource_type", "resource_id"],
  ...["before", "after", "ip", "user_agent", "request_id", "chain_no", "hash"],
] as (keyof EventRow)[];

function csvHeader(): string {
  return `${COLUMNS.join(",")}\r\n`;
}

function csvLine(event: EventRow): string {
  return `${COLUMNS.map((column) => cell(event[column])).join(",")}\r\n`;
}

/** Prefixes text that a spreadsheet would run as a formula with an apostrophe: names are user input. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
