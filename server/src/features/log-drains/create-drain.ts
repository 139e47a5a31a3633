import type { CreateLogDrain, LogDrain } from "@millrace/contract/deliveries/log-drains";
import { refuseUnreadable } from "../../platform/access/policies/refuse-denied.ts";
import { actorOf } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { positionNow } from "../../platform/changelog/sequence-changes.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { collectIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { checkDrain, chooseEnvironment } from "./check-drain.ts";
import { encryptAuth } from "./credentials.ts";
import { getDrain } from "./get-drain.ts";
import { firstPosition, LAST_ID } from "./signal.ts";

const DEFAULT_FORMAT = { logs: "json", traces: "otlp", metrics: "otlp" } as const;

export async function createDrain(ctx: ProjectCtx, body: CreateLogDrain): Promise<LogDrain> {
  await refuseUnreadable(ctx, ["runs:read"]);
  const id = newId();
  const [environment_id, { job_ids }] = await collectIssues(
    () => chooseEnvironment(ctx, body.environment_id),
    () => checkDrain(ctx, body, body.signal),
  );
  const auth = await encryptAuth(ctx, id, body.auth ?? { type: "none" });
  const { name, url, signal = "logs", format = DEFAULT_FORMAT[signal], min_level = "debug", enabled = true } = body;
  const position = firstPosition(signal, await positionNow(ctx));
  return inTransaction(ctx, async (tx) => {
    await sql`
      insert into log_drains (project_id, id, environment_id, name, url, signal, format, auth_type, auth_name, credentials,
        min_level, job_ids, enabled, position, after_id, next_attempt_at, created_by, created_by_id, created_at, updated_at)
      values (${ctx.project_id}, ${id}, ${environment_id}, ${name}, ${url}, ${signal}, ${format}, ${auth.auth_type},
        ${auth.auth_name}, ${auth.credentials}, ${min_level}, ${job_ids}, ${enabled}, ${position}, ${LAST_ID},
        clock(), ${ctx.caller.name}, ${actorOf(ctx.caller).id}, clock(), clock())`.execute(tx.db);
    const after = await getDrain(tx, id);
    await recordAudit(tx, { action: "log_drain.created", resource_type: "log_drain", resource_id: id, after });
    return after;
  });
}
