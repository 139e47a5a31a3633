import type { CreateSchedule } from "@millrace/contract/schedules";
import type { ScheduleRow } from "../../flow/schedules/schedule-rows.ts";
import { withDenies } from "../../platform/access/policies/policies.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { shareJob, shareWorkflow } from "./queries.ts";
import { requireWorkflowScope } from "./workflow-scope.ts";

type Owner = Pick<ScheduleRow, "job_id" | "workflow_id">;

/** Resolves what the schedule starts: exactly one of a job or a workflow. */
export async function chooseOwner(tx: ProjectCtx & InTransaction, requested: CreateSchedule): Promise<Owner> {
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
