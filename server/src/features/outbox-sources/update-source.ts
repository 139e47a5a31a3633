import { isDeepStrictEqual } from "node:util";
import type { OutboxSource, UpdateOutboxSource } from "@millrace/contract/events/outbox-sources";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { encryptDatabase, readDatabaseUrl, testDatabase } from "./application-database.ts";
import { OUTBOX_SOURCES_TOPIC } from "./claim-sources.ts";
import { getSource } from "./get-source.ts";
import { lockSource, presentSource, type SourceRow } from "./queries.ts";
import { refuseUnableToTrigger } from "./refuse-unable.ts";

export async function updateSource(ctx: ProjectCtx, id: string, body: UpdateOutboxSource): Promise<OutboxSource> {
  await refuseUnableToTrigger(ctx);
  await getSource(ctx, id);
  const { database_url, ...rest } = body;
  const kept = database_url === undefined ? undefined : await testAndEncrypt(ctx, id, database_url);
  return inTransaction(ctx, async (tx) => {
    const row = await lockSource(tx, id);
    if (!row) throw notFound("outbox source");
    const before = presentSource(row);
    // A connection string, if given, always counts as a change.
    const changed: SourceRow = { ...row, ...rest, ...kept };
    if (isDeepStrictEqual(changed, row)) return before;
    await writeSource(tx, changed);
    const after = await getSource(tx, id);
    await recordAudit(tx, {
      action: "outbox_source.updated",
      resource_type: "outbox_source",
      resource_id: id,
      before,
      after,
    });
    wake(tx, OUTBOX_SOURCES_TOPIC);
    return after;
  });
}

async function testAndEncrypt(ctx: ProjectCtx, id: string, database_url: string) {
  const database = readDatabaseUrl(ctx, database_url);
  await testDatabase(ctx, database);
  return encryptDatabase(ctx, { project_id: ctx.project_id, id }, database_url, database);
}

/** An instance that is draining meanwhile loses its claim, and with it the commit in progress. */
async function writeSource(tx: ProjectCtx & InTransaction, source: SourceRow): Promise<void> {
  await sql`
    update outbox_sources
    set name = ${source.name}, host = ${source.host}, port = ${source.port}, database = ${source.database},
      username = ${source.username}, sslmode = ${source.sslmode}, database_url = ${source.database_url},
      enabled = ${source.enabled}, claim_token = null, next_attempt_at = clock(), consecutive_failures = 0,
      failing_since = null, last_error = null, updated_at = clock()
    where project_id = ${tx.project_id} and id = ${source.id}`.execute(tx.db);
}
