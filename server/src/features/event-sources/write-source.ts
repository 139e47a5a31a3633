import { isDeepStrictEqual } from "node:util";
import type {
  CreatedEventSource,
  CreateEventSource,
  EventSource,
  EventSourceSecret,
  RotateEventSourceSecret,
  UpdateEventSource,
} from "@millrace/contract/events/event-sources";
import { refuseBoundKey } from "../../platform/access/environments.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { violates } from "../../platform/database/database-errors.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { insertWithSlug, slugIssues, slugTaken } from "../../platform/slug.ts";
import {
  deleteSourceRow,
  insertSource,
  lockSource,
  presentSource,
  replaceSecret,
  updateSource as updateRow,
} from "./queries.ts";
import { secretIssues } from "./source-issues.ts";
import { chooseSecret, encryptSecret } from "./source-secret.ts";

const DAY_SECS = 86_400;

/** Only this response shows the secret. */
export async function createSource(ctx: ProjectCtx, body: CreateEventSource): Promise<CreatedEventSource> {
  const { project_id } = ctx;
  const { signature = "none", dedup_window_secs = DAY_SECS, enabled = true } = body;
  const { name, description = null, payload_schema = null } = body;
  throwIssues([
    ...slugIssues(body.slug),
    ...savedSchemaIssues(payload_schema, "body.payload_schema"),
    ...secretIssues(body),
  ]);
  const secret = chooseSecret(signature, body.secret);
  const id = newId();
  const encrypted = secret === null ? null : await encryptSecret(ctx, project_id, id, secret);
  const source = { id, project_id, name, description, signature, payload_schema, dedup_window_secs, enabled };
  return inTransaction(ctx, async (tx) => {
    const row = await insertWithSlug(body, (slug) =>
      insertSource(tx, { ...source, slug, secret: encrypted, ...createdBy(actorOf(ctx.caller)) }),
    );
    const after = presentSource(ctx, row);
    await recordAudit(tx, { action: "event_source.created", resource_type: "event_source", resource_id: id, after });
    return { ...after, secret };
  });
}

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

/** Deletes its subscriptions too; runs that it started continue. */
export async function deleteSource(ctx: ProjectCtx, ref: string): Promise<undefined> {
  refuseBoundKey(ctx.caller, "event sources are");
  await inTransaction(ctx, async (tx) => {
    const row = await lockSource(tx, ref);
    if (!row) throw notFound("event source");
    await deleteSourceRow(tx, row.id);
    const named = { resource_type: "event_source", resource_id: row.id };
    await recordAudit(tx, { action: "event_source.deleted", ...named, before: presentSource(ctx, row) });
  });
}

/** Issues a new secret; the previous one stays valid for the grace period. */
export async function rotateSecret(
  ctx: ProjectCtx,
  ref: string,
  { secret: given, grace_period_minutes = 0 }: RotateEventSourceSecret,
): Promise<EventSourceSecret> {
  refuseBoundKey(ctx.caller, "event sources are");
  return inTransaction(ctx, async (tx) => {
    const source = await lockSource(tx, ref);
    if (!source) throw notFound("event source");
    throwIssues(secretIssues({ signature: source.signature, ...(given !== undefined && { secret: given }) }));
    const secret = chooseSecret(source.signature, given);
    if (secret === null) throw invalid("path.sourceID", "is a source without a signature, so it has no secret", ref);
    const encrypted = await encryptSecret(tx, ctx.project_id, source.id, secret);
    const after = await replaceSecret(tx, source.id, encrypted, grace_period_minutes);
    const named = { resource_type: "event_source", resource_id: source.id };
    await recordAudit(tx, { action: "event_source.secret_rotated", ...named, after });
    return { secret, ...after };
  });
}
