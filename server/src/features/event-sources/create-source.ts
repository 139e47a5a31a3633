import type { CreatedEventSource, CreateEventSource } from "@millrace/contract/event-sources";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { throwIssues } from "../../platform/errors/throw-issues.ts";
import { newId } from "../../platform/ids.ts";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { insertWithSlug, slugIssues } from "../../platform/slug.ts";
import { presentSource } from "./present-source.ts";
import { insertSource } from "./queries.ts";
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
