import { appendStates } from "../../platform/changelog/append-changes.ts";
import { changesAppended } from "../../platform/changelog/wake-readers.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/database/sql.ts";
import { never } from "../../platform/errors/errors.ts";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { WebhookTrace } from "../../platform/webhooks/send-webhook.ts";
import type { ClaimedDelivery } from "./claim-deliveries.ts";
import { backoffSecs, MAX_ATTEMPTS } from "./delivery-rules.ts";
import type { DeliveryOutcome } from "./read-outcome.ts";

/** What the receiver said is not kept if the claim has ended: the data that it was about may have been erased. */
const whileCurrent = (value: Sql) => sql`case when exists (select 1 from settled) then ${value} end`;

/**
 * Writes the result of an attempt: always to the attempt, and to the delivery if the claim is still current. Returns
 * false if another instance has claimed it since, or its data was erased. A condition on `status` is not needed, because of a CHECK constraint,
 * and would make the planner of a fresh database scan all pending deliveries.
 */
export async function settleDelivery(
  ctx: Ctx,
  delivery: ClaimedDelivery,
  outcome: DeliveryOutcome,
  trace: WebhookTrace | null = null,
): Promise<boolean> {
  const { project_id, id, claim_token } = delivery;
  const result = { status_code: null, duration_ms: null, error: null, ...outcome };
  const { rows } = await sql<{ status: string }>`
    /* prepared */
    with settled as (
      update webhook_deliveries d set prev_status = d.status, claim_token = null, updated_at = clock(),
        last_status_code = ${result.status_code}, last_error = ${result.error}, ${columnsOf(delivery, outcome)}
      where d.project_id = ${project_id} and d.id = ${id} and d.claim_token = ${claim_token}
      returning d.project_id, d.id, d.status
    ),
    attempt as (
      update webhook_attempts a set status_code = ${result.status_code}, duration_ms = ${result.duration_ms},
        outcome = ${outcome.kind}, finished_at = clock(), request_headers = ${jsonOf(trace?.request_headers)},
        error = ${whileCurrent(sql`${result.error}::text`)},
        response_headers = ${whileCurrent(sql`${jsonOf(trace?.response_headers)}::jsonb`)},
        response_body = ${whileCurrent(sql`${trace?.response_body ?? null}::text`)}
      where a.project_id = ${project_id} and a.id = ${claim_token}
    ),
    ${appendStates("webhook_delivery", sql`settled`)}
    select status from settled`.execute(ctx.db);
  meter(ctx.metrics, outcome.kind, rows[0]?.status);
  changesAppended(ctx, "webhook_delivery");
  return rows.length > 0;
}

function meter(metrics: Metrics, outcome: string, status: string | undefined): void {
  metrics.webhookAttempts.inc({ outcome });
  if (status === "delivered" || status === "failed") metrics.webhookDeliveries.inc({ status });
}

function jsonOf(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}

function columnsOf({ attempt }: ClaimedDelivery, outcome: DeliveryOutcome): Sql {
  switch (outcome.kind) {
    case "delivered":
      return sql`status = 'delivered', delivered_at = clock(), next_attempt_at = null`;
    case "refused":
      return FAILED;
    case "retryable":
      return attempt < MAX_ATTEMPTS ? dueIn(backoffSecs(attempt)) : FAILED;
    case "aborted":
      return sql`attempts = d.attempts - 1, ${dueIn(outcome.delay_secs)}`;
    default:
      return never(outcome);
  }
}

const FAILED = sql`status = 'failed', failed_at = clock(), next_attempt_at = null`;

function dueIn(secs: number): Sql {
  return sql`next_attempt_at = clock() + ${secs} * interval '1 second'`;
}
