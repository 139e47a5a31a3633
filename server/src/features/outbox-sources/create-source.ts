import type { CreateOutboxSource, OutboxSource } from "@millrace/contract/events/outbox-sources";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { encryptDatabase, readDatabaseUrl, testDatabase } from "./application-database.ts";
import { OUTBOX_SOURCES_TOPIC } from "./claim-sources.ts";
import { getSource } from "./get-source.ts";
import { refuseUnableToTrigger } from "./refuse-unable.ts";

export async function createSource(ctx: ProjectCtx, body: CreateOutboxSource): Promise<OutboxSource> {
  await refuseUnableToTrigger(ctx);
  const id = newId();
  const { project_id } = ctx;
  const { name, enabled = true } = body;
  const database = readDatabaseUrl(ctx, body.database_url);
  await testDatabase(ctx, database);
  const kept = await encryptDatabase(ctx, { project_id, id }, body.database_url, database);
  const by = actorOf(ctx.caller);
  return inTransaction(ctx, async (tx) => {
    await sql`
      insert into outbox_sources (project_id, id, name, host, port, database, username, sslmode, database_url, enabled,
        next_attempt_at, created_by, created_by_id, created_at, updated_at)
      values (${project_id}, ${id}, ${name}, ${kept.host}, ${kept.port}, ${kept.database}, ${kept.username},
        ${kept.sslmode}, ${kept.database_url}, ${enabled}, clock(), ${by.name}, ${by.id}, clock(), clock())`.execute(
      tx.db,
    );
    const after = await getSource(tx, id);
    await recordAudit(tx, { action: "outbox_source.created", resource_type: "outbox_source", resource_id: id, after });
    wake(tx, OUTBOX_SOURCES_TOPIC);
    return after;
  });
}
