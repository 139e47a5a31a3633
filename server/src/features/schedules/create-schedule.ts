import type { CreateSchedule, Schedule } from "@millrace/contract/jobs/schedules";
import { insertSchedule, type ScheduleRow, timeFromNow } from "../../flow/schedules/schedule-rows.ts";
import { withDenies } from "../../platform/access/policies/policies.ts";
import { refuseOtherOwnerEnvironment } from "../../platform/access/policies/refuse-denied.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import { recordAudit } from "../../platform/audit/record-audit.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { collectIssues, throwIssues } from "../../platform/errors/issues.ts";
import { newId } from "../../platform/ids.ts";
import { requireWorkflowScope } from "./change-schedule.ts";
import { chooseEnvironment, timesIssues } from "./check-schedule.ts";
import { presentSchedule, shareJob, shareWorkflow } from "./queries.ts";

export async function createSchedule(ctx: ProjectCtx, body: CreateSchedule): Promise<Schedule> {
  const { name = null, cron, timezone = "UTC", overlap_policy = "allow", paused: is_paused = false } = body;
  return inTransaction(ctx, async (tx) => {
    const [, environment_id, owner] = await collectIssues(
      () => throwIssues(timesIssues({ cron, timezone })),
      () => chooseEnvironment(tx, body.environment_id),
      () => chooseOwner(tx, body),
    );
    await refuseOtherOwnerEnvironment(tx, { ...owner, environment_id });
    const row = await insertSchedule(tx, {
      ...{ project_id: ctx.project_id, id: newId(), ...createdBy(actorOf(ctx.caller)), is_default: false },
      ...{ name, ...owner, cron, timezone, overlap_policy, environment_id, is_paused },
      payload: body.payload ?? {},
      next_fire_at: is_paused ? null : await timeFromNow(tx, { cron, timezone }),
    });
    const after = presentSchedule(row);
    await recordAudit(tx, {
      action: "schedule.created",
      resource_type: "schedule",
      resource_id: row.id,
      after,
    });
    return after;
  });
}

type Owner = Pick<ScheduleRow, "job_id" | "workflow_id">;

/** Resolves what the schedule starts: exactly one of a job or a workflow. */
async function chooseOwner(tx: ProjectCtx & InTransaction, requested: CreateSchedule): Promise<Owner> {
  const { job_id, workflow_id } = requested;
  if (workflow_id === undefined) return { job_id: await chosenJob(tx, job_id), workflow_id: null };
  if (job_id !== undefined) throw invalid("body.workflow_id", "cannot be given together with job_id", workflow_id);
  requireWorkflowScope(tx, "workflows:write");
  const found = await shareWorkflow(await withDenies(tx, "workflows:trigger"), workflow_id);
  if (!found) throw invalid("body.workflow_id", "is not a workflow of this project", workflow_id);
  return { job_id: null, workflow_id: found };
}

async function chosenJob(tx: ProjectCtx & InTransaction, ref: string | undefined): Promise<string> {
  if (ref === undefined) throw invalid("body.job_id", "is required unless workflow_id is given", null);
  const found = await shareJob(await withDenies(tx, "jobs:trigger"), ref);
  if (!found) throw invalid("body.job_id", "is not a job of this project", ref);
  return found;
}
