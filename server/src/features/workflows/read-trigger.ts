import { createHash } from "node:crypto";
import type { TriggerWorkflow } from "@millrace/contract/workflows";
import { sql } from "kysely";
import type { WorkflowTrigger } from "../../flow/workflows/prepare-workflow-run.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors.ts";
import { isId } from "../../platform/ids.ts";
import { parseInstant } from "../../platform/instant.ts";
import { canonicalJson } from "../../platform/json/canonical-json.ts";

/** What a caller asks for, without what is not the run's. */
export type AskedTrigger = Omit<TriggerWorkflow, "project_id" | "dry_run">;

/** Checked as far as it can be without the workflow. */
export async function readTrigger(ctx: ProjectCtx, asked: AskedTrigger): Promise<WorkflowTrigger> {
  const { environment_id, idempotency_key, scheduled_at, ...fields } = asked;
  if (scheduled_at !== undefined && asked.delay_secs !== undefined) {
    throw invalid("body.delay_secs", "cannot be given together with scheduled_at", asked.delay_secs);
  }
  return {
    ...fields,
    scheduled_at: scheduled_at === undefined ? null : parseInstant("body.scheduled_at", scheduled_at),
    environment_id: await readEnvironment(ctx, environment_id),
    created_by: ctx.caller.name,
    trigger_type: "api",
    ...(idempotency_key !== undefined && { idempotency_key, body_hash: hashOf(asked) }),
  };
}

function hashOf(asked: AskedTrigger): string {
  return createHash("sha256")
    .update(canonicalJson({ ...asked, idempotency_key: null }))
    .digest("hex");
}

/** Named by the trigger, else the key's own; the workflow's or production is filled in later. */
async function readEnvironment(ctx: ProjectCtx, named: string | undefined): Promise<string | null> {
  const bound = ctx.caller.kind === "api_key" ? ctx.caller.environment_id : null;
  if (named === undefined || named === bound) return bound;
  const { rows } = await sql<{ id: string }>`
    select id from environments
    where project_id = ${ctx.project_id} and ${isId(named) ? sql`id = ${named}` : sql`slug = ${named}`}`.execute(
    ctx.db,
  );
  const found = rows[0]?.id;
  if (found === undefined || (bound !== null && found !== bound)) {
    throw invalid("body.environment_id", "names no environment of this project that the key may use", named);
  }
  return found;
}
