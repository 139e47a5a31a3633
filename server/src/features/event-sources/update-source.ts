import { isDeepStrictEqual } from "node:util";
import type { EventSource, UpdateEventSource } from "@millrace/contract/event-sources";
import { refuseBoundKey } from "../../platform/access/bound-environment.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/throw-issues.ts";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { slugIssues, slugTaken } from "../../platform/slug.ts";
import { presentSource } from "./present-source.ts";
import { lockSource, updateSource as updateRow } from "./queries.ts";

/** Without changes, nothing is written. */
export async function updateSource(ctx: ProjectCtx, ref: string, body: UpdateEventSource): Promise<EventSource> {
  refuseBoundKey(ctx.caller, "event sources are");
  return inTransaction(ctx, async (tx) => {
    const before = await lockSource(tx, ref);
    if (!before) throw notFound("event source");
    const wanted = { ...before, ...body };
    if (isDeepStrictEqual(wanted, before)) return presentSource(ctx, before);
    const isNewSchema = !isDeepStrictEqual(wanted.payload_schema, before.payload_schema);
    throwIssues([
      ...slugIssues(body.slug),
      ...(isNewSchema ? savedSchemaIssues(wanted.payload_schema, "body.payload_schema") : []),
    ]);
    const row = await updateRow(tx, wanted).catch((error) => {
      if (violates(error, "event_sources_project_id_slug_key")) throw slugTaken(body.slug);
      throw error;
    });
    const [was, after] = [presentSource(ctx, before), presentSource(ctx, row)];
    const named = { resource_type: "event_source", resource_id: before.id };
    await recordAudit(tx, { action: "event_source.updated", ...named, before: was, after });
    return after;
  });
}
