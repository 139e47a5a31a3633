import type { Workflow } from "@millrace/contract/workflows";
import { keepDefaultSchedule } from "../../flow/schedules/keep-default-schedule.ts";
import { actorOf, createdBy } from "../../platform/actor.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";

type WorkflowTimes = Pick<Workflow, "id" | "cron" | "timezone" | "cron_overlap_policy">;

/** The workflow's own cron is its default schedule. */
export function keepSchedule(tx: ProjectCtx & InTransaction, workflow: WorkflowTimes): Promise<void> {
  const { id: workflow_id, cron, timezone, cron_overlap_policy: overlap_policy } = workflow;
  const { project_id, caller } = tx;
  return keepDefaultSchedule(tx, {
    project_id,
    workflow_id,
    cron,
    timezone,
    overlap_policy,
    ...createdBy(actorOf(caller)),
  });
}
