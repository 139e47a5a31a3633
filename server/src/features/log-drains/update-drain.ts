import { isDeepStrictEqual } from "node:util";
import type { LogDrain, UpdateLogDrain } from "@millrace/contract/deliveries/log-drains";
import { refuseUnreadable } from "../../platform/access/policies/refuse-denied.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import { positionNow } from "../../platform/changelog/sequence-changes.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { checkDrain, chooseEnvironment } from "./check-drain.ts";
import { encryptAuth } from "./credentials.ts";
import { getDrain } from "./get-drain.ts";
import { presentDrain } from "./present-drain.ts";
import { type DrainRow, lockDrain } from "./queries.ts";
import { firstPosition, LAST_ID } from "./signal.ts";

export async function updateDrain(ctx: ProjectCtx, id: string, body: UpdateLogDrain): Promise<LogDrain> {
  await refuseUnreadable(ctx, ["runs:read"]);
  const position = body.enabled ? await positionNow(ctx) : 0;
  return inTransaction(ctx, async (tx) => {
    const row = await lockDrain(tx, id);
    if (!row) throw notFound("log drain");
    const changed = await readChanges(tx, row, body);
    const before = presentDrain(row);
    if (!changed) return before;
    await writeDrain(tx, changed);
    if (changed.enabled && !row.enabled) await setPosition(tx, id, firstPosition(row.signal, position));
    const after = await getDrain(tx, id);
    await recordAudit(tx, { action: "log_drain.updated", resource_type: "log_drain", resource_id: id, before, after });
    return after;
  });
}

/** Undefined: no change. Credentials, if given, always count as a change. */
async function readChanges(tx: ProjectCtx & InTransaction, row: DrainRow, body: UpdateLogDrain) {
  const { job_ids } = await checkDrain(tx, body, row.signal);
  const { auth, environment_id, job_ids: requestedJobs, ...rest } = body;
  // A caller who may change the URL must not redirect credentials to another host.
  const isElsewhere = body.url !== undefined && new URL(body.url).origin !== new URL(row.url).origin;
  if (isElsewhere && row.credentials !== null && !auth)
    throw invalid("body.auth", "must be given again if the host of the URL changes", null);
  const changed: DrainRow = {
    ...row,
    ...rest,
    ...(requestedJobs !== undefined && { job_ids }),
    ...(environment_id !== undefined && { environment_id: await chooseEnvironment(tx, environment_id) }),
    ...(auth && (await encryptAuth(tx, row.id, auth))),
  };
  return isDeepStrictEqual(changed, row) ? undefined : changed;
}

/**
 * An instance that is sending meanwhile loses its claim: what it sends uses the old settings, and is sent again with
 * the new ones.
 */
async function writeDrain(tx: ProjectCtx & InTransaction, drain: DrainRow): Promise<void> {
  await sql`
    update log_drains
    set name = ${drain.name}, url = ${drain.url}, format = ${drain.format}, auth_type = ${drain.auth_type},
      auth_name = ${drain.auth_name}, credentials = ${drain.credentials}, min_level = ${drain.min_level},
      job_ids = ${drain.job_ids}, environment_id = ${drain.environment_id}, enabled = ${drain.enabled},
      claim_token = null, next_attempt_at = clock(), consecutive_failures = 0, updated_at = clock()
    where project_id = ${tx.project_id} and id = ${drain.id}`.execute(tx.db);
}

async function setPosition(tx: ProjectCtx & InTransaction, id: string, position: number): Promise<void> {
  await sql`
    update log_drains set position = ${position}, after_id = ${LAST_ID}
    where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
}
