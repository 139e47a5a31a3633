import type { UpdateRun } from "@millrace/contract/runs/runs";
import { readTags } from "../../flow/runs/create/merge-tags.ts";
import type { RunRow } from "../../flow/runs/run-columns.ts";
import { type RunChanges, updateRun as updateInFlow } from "../../flow/runs/update-run.ts";
import { refuseRetagging } from "../../platform/access/policies/refuse-retagging.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { parseInstant } from "../../platform/time/instant.ts";
import { auditRun } from "./audit-run.ts";
import { getRun } from "./queries.ts";

export async function updateRun(ctx: ProjectCtx, id: string, body: UpdateRun): Promise<RunRow> {
  const changes = readChanges(body);
  const before = await getRun(ctx, id);
  const { id: run_id, project_id } = before;
  const run = { type: "run", ...before };
  await refuseRetagging(ctx, "runs:read", run, { ...run, tags: changes.tags ?? before.tags });
  await updateInFlow(
    ctx,
    { project_id, run_id },
    {
      changes,
      alongside: async (tx) =>
        auditRun(tx, {
          action: "updated",
          run_id,
          before: settable(before),
          after: settable(await getRun(tx, run_id)),
        }),
    },
  );
  return getRun(ctx, run_id);
}

function readChanges({ tags, scheduled_at, ...rest }: UpdateRun): RunChanges {
  return {
    ...rest,
    ...(tags !== undefined && { tags: readTags(tags) }),
    ...(scheduled_at !== undefined && { scheduled_at: parseInstant("body.scheduled_at", scheduled_at) }),
  };
}

function settable({ tags, metadata, priority, scheduled_at }: RunRow) {
  return { tags, metadata, priority, scheduled_at };
}
