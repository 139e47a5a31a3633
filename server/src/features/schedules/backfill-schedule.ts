import {
  type BackfillSchedule,
  DEFAULT_BACKFILL_FIRES,
  type ScheduleBackfill,
} from "@millrace/contract/jobs/schedules";
import { type BackfillPlan, backfillNextFire } from "../../flow/schedules/backfill-fire.ts";
import type { ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { HeldBatch } from "../../platform/batches/claim-batch.ts";
import { trackBatch } from "../../platform/batches/track-batch.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { collectIssues } from "../../platform/errors/issues.ts";
import { firesAfter } from "../../platform/time/cron.ts";
import { parseInstant } from "../../platform/time/instant.ts";
import { yieldToEventLoop } from "../../platform/time-slices.ts";
import { wake } from "../../platform/wakeups/wake.ts";
import { requireWorkflowScope } from "./change-schedule.ts";
import { refuseUntriggerable } from "./check-schedule.ts";
import { findSchedule } from "./queries.ts";

export const BACKFILLS_TOPIC = "backfills";
export const BACKFILL_KIND = "schedule_backfill";

/** Orders a run for each time of a range that has none, or previews it. A batch operation makes the runs. */
export async function backfillSchedule(ctx: ProjectCtx, id: string, body: BackfillSchedule): Promise<ScheduleBackfill> {
  const schedule = await findSchedule(ctx, id);
  if (!schedule) throw notFound("schedule");
  if (schedule.workflow_id !== null) requireWorkflowScope(ctx, "workflows:trigger");
  await refuseUntriggerable(ctx, schedule);
  const fires = await listFires(schedule, await readRange(ctx, body), body.max ?? DEFAULT_BACKFILL_FIRES);
  const dry_run = body.dry_run ?? false;
  const presented = await presentFires(ctx, schedule, fires);
  const batch_id = dry_run || fires.length === 0 ? null : await startBackfill(ctx, schedule, body, fires);
  return { schedule_id: id, dry_run, batch_id, total: fires.length, fires: presented };
}

type Range = { from: string; to: string };

/** Fires are recorded as long as runs are kept: an earlier time might have been fired without a trace. */
async function readRange(ctx: ProjectCtx, body: BackfillSchedule): Promise<Range> {
  const [from, to] = await collectIssues(
    () => parseInstant("body.from", body.from),
    () => parseInstant("body.to", body.to),
  );
  const { rows } = await sql<{ now: string; earliest: string }>`
    select clock() as now, clock() - ${ctx.config.run_retention_secs} * interval '1 second' as earliest`.execute(
    ctx.db,
  );
  const { now = "", earliest = "" } = rows[0] ?? {};
  await collectIssues(
    () => refuseIf(from >= to, "body.to", "must be after `from`", body.to),
    () => refuseIf(Date.parse(to) > Date.parse(now), "body.to", `must not be in the future: it is ${now}`, body.to),
    () =>
      refuseIf(
        Date.parse(from) < Date.parse(earliest),
        "body.from",
        `must not be before ${earliest}: earlier runs and fires are not kept`,
        body.from,
      ),
  );
  return { from, to };
}

function refuseIf(isWrong: boolean, location: string, message: string, value: unknown): void {
  if (isWrong) throw invalid(location, message, value);
}

async function listFires({ cron, timezone }: ScheduleRow, { from, to }: Range, max: number): Promise<string[]> {
  const fires: string[] = [];
  const justBefore = new Date(Date.parse(from) - 1).toISOString();
  for (const fire of firesAfter(cron, timezone, justBefore)) {
    if (fire >= to) break;
    if (fires.length === max) {
      throw invalid(
        "body.max",
        `is less than the fire times in the range, which continue after ${fire}: shorten the range`,
        max,
      );
    }
    fires.push(fire);
    await yieldToEventLoop();
  }
  return fires;
}

async function presentFires(
  ctx: ProjectCtx,
  { id }: ScheduleRow,
  fires: readonly string[],
): Promise<ScheduleBackfill["fires"]> {
  const { rows } = await sql<{ scheduled_for: string; run_id: string }>`
    select f.scheduled_for, f.run_id from schedule_fires f
    where f.project_id = ${ctx.project_id} and f.schedule_id = ${id} and f.run_id is not null
      and f.scheduled_for = any(${[...fires]}::timestamptz[])`.execute(ctx.db);
  const fired = new Map(rows.map((row) => [Date.parse(row.scheduled_for), row.run_id]));
  return fires.map((scheduled_for) => ({ scheduled_for, run_id: fired.get(Date.parse(scheduled_for)) ?? null }));
}

function startBackfill(
  ctx: ProjectCtx,
  { id: schedule_id }: ScheduleRow,
  { from, to }: BackfillSchedule,
  fires: string[],
): Promise<string> {
  const request = { schedule_id, from, to };
  const plan: BackfillPlan = { schedule_id, fires };
  return inTransaction(ctx, async (tx) => {
    const batch = { kind: BACKFILL_KIND, total: fires.length, request, plan, is_background: true } as const;
    const batch_id = await trackBatch(tx, batch);
    await recordAudit(tx, {
      action: "schedule.backfilled",
      resource_type: "schedule",
      resource_id: schedule_id,
      after: { from, to, fires: fires.length, batch_id },
    });
    wake(tx, BACKFILLS_TOPIC);
    return batch_id;
  });
}

const FIRES_IN_A_PAGE = 20;

/** A page of a backfill. Under an overlap policy other than `allow`, one run at a time. */
export async function backfillPage(ctx: ProjectCtx, batch: HeldBatch): Promise<"later" | undefined> {
  for (let fires = 0; fires < FIRES_IN_A_PAGE; fires++) {
    const result = await backfillNextFire(ctx, batch);
    if (result === "later") return "later";
    if (result === "over") return undefined;
  }
  return undefined;
}
