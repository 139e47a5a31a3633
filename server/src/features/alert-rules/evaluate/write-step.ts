import type { Alert } from "@millrace/contract/alerts/alerts";
import type { Ctx, InTransaction } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { newId } from "../../../platform/ids.ts";
import { describeAlert } from "../notify/describe-alert.ts";
import { notifyChannels } from "../notify/notify-channels.ts";
import type { RuleRow } from "../queries.ts";
import type { Reading } from "./evaluate-rule.ts";
import { isSilenced, type Step } from "./next-step.ts";

/**
 * Writes the new state of a rule, its alert and the notifications in one transaction. Does nothing if the rule has
 * changed since it was read: another instance decided, or a caller changed it.
 */
export async function writeStep(ctx: Ctx, rule: RuleRow, reading: Reading, step: Step, now: string): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const isHeard = step.action === "notify" || (step.action === "fire" && !isSilenced(rule, now));
    const alert_id = step.action === "fire" ? newId() : step.action === "resolve" ? null : rule.alert_id;
    const notified_at = isHeard ? now : alert_id === null ? null : rule.notified_at;
    const { rows } = await sql`
      update alert_rules set state = ${step.state}, state_since = ${step.state_since}::timestamptz,
        healthy_since = ${step.healthy_since}::timestamptz, value = ${reading.value}, alert_id = ${alert_id},
        notified_at = ${notified_at}::timestamptz, revision = revision + 1
      where project_id = ${rule.project_id} and id = ${rule.id} and revision = ${rule.revision} and enabled
      returning id`.execute(tx.db);
    if (rows.length === 0) return;
    if (step.action === "fire") await insertAlert(tx, rule, alert_id ?? "", reading, now);
    if (step.action === "resolve") await resolveAlert(tx, rule, "recovered");
    if (isHeard) {
      const event = rule.alert_id !== null && rule.notified_at !== null ? "alert.repeated" : "alert.fired";
      await notifyChannels(tx, rule, await countNotification(tx, rule.project_id, alert_id ?? ""), event);
    }
  });
}

/** Ends the alert of a rule that is no longer evaluated, in the caller's transaction and under the lock of the rule. */
export async function closeAlert(
  tx: Ctx & InTransaction,
  rule: RuleRow,
  because: "rule_disabled" | "rule_deleted",
): Promise<void> {
  await resolveAlert(tx, rule, because);
  await sql`
    update alert_rules set state = 'ok', state_since = clock(), healthy_since = null, alert_id = null, notified_at = null
    where project_id = ${rule.project_id} and id = ${rule.id}`.execute(tx.db);
}

async function insertAlert(
  tx: Ctx & InTransaction,
  rule: RuleRow,
  id: string,
  { value, detail }: Reading,
  now: string,
): Promise<void> {
  const summary = await describeAlert(tx, rule, { value, detail });
  await sql`
    insert into alerts (project_id, id, rule_id, rule_name, kind, environment_id, status, summary, detail, value, threshold,
      fired_at, created_at)
    values (${rule.project_id}, ${id}, ${rule.id}, ${rule.name}, ${rule.kind}, ${rule.environment_id}, 'firing',
      ${summary}, ${JSON.stringify(detail)}, ${value}, ${rule.threshold}, ${now}::timestamptz, clock())`.execute(tx.db);
}

const COLUMNS = sql`id, project_id, rule_id, rule_name, kind, environment_id, status, summary, detail, value, threshold,
  notifications, fired_at, resolved_at, resolved_because, created_at`;

/** Channels that were notified of it are notified of its end, even during a silence: incidents must close. */
async function resolveAlert(
  tx: Ctx & InTransaction,
  rule: RuleRow,
  because: NonNullable<Alert["resolved_because"]>,
): Promise<void> {
  const { rows } = await sql<Alert>`
    update alerts set status = 'resolved', resolved_at = clock(), resolved_because = ${because}
    where project_id = ${rule.project_id} and id = ${rule.alert_id} and status = 'firing'
    returning ${COLUMNS}`.execute(tx.db);
  if (rows[0] && rule.notified_at !== null) await notifyChannels(tx, rule, rows[0], "alert.resolved");
}

async function countNotification(tx: Ctx & InTransaction, project_id: string, id: string): Promise<Alert> {
  const { rows } = await sql<Alert>`
    update alerts set notifications = notifications + 1
    where project_id = ${project_id} and id = ${id} and status = 'firing'
    returning ${COLUMNS}`.execute(tx.db);
  if (!rows[0]) throw new Error("the alert of a firing rule is missing");
  return rows[0];
}
