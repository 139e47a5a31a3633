import type { CreateLogDrain, LogDrain } from "@millrace/contract/log-drains";
import { sql } from "kysely";
import { refuseUnreadable } from "../../platform/access/refuse-unreadable.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { placeNow } from "../../platform/changelog/read-log.ts";
import { collectIssues } from "../../platform/collect-issues.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { newId } from "../../platform/ids.ts";
import { checkDrain, chooseEnvironment } from "./check-drain.ts";
import { encryptAuth } from "./credentials.ts";
import { getDrain } from "./get-drain.ts";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export async function createDrain(ctx: ProjectCtx, body: CreateLogDrain): Promise<LogDrain> {
  await refuseUnreadable(ctx, ["runs:read"]);
  const id = newId();
  const [environment_id, { job_ids }] = await collectIssues(
    () => chooseEnvironment(ctx, body.environment_id),
    () => checkDrain(ctx, body),
  );
  const auth = await encryptAuth(ctx, id, body.auth ?? { type: "none" });
  const { name, url, format = "json", min_level = "debug", enabled = true } = body;
  return inTransaction(ctx, async (tx) => {
    // Lines of transactions that are open now come after this cursor, so lines being logged now are sent too.
    const { after_xid, floor_at } = await placeNow(tx);
    await sql`
      insert into log_drains (project_id, id, environment_id, name, url, format, auth_type, auth_name, credentials,
        min_level, job_ids, enabled, after_xid, after_id, floor_at, next_attempt_at, created_by, created_by_id, created_at,
        updated_at)
      values (${ctx.project_id}, ${id}, ${environment_id}, ${name}, ${url}, ${format}, ${auth.auth_type},
        ${auth.auth_name}, ${auth.credentials}, ${min_level}, ${job_ids}, ${enabled}, ${after_xid}::xid8, ${FIRST_ID},
        ${floor_at}::timestamptz, clock(), ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock(), clock())`.execute(
      tx.db,
    );
    const after = await getDrain(tx, id);
    await recordAudit(tx, { action: "log_drain.created", resource_type: "log_drain", resource_id: id, after });
    return after;
  });
}
