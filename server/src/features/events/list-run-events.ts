import type { ListHistoryQuery } from "@millrace/contract/runs";
import { sql } from "kysely";
import { readApprovalMessages } from "../../flow/waits/read-trigger.ts";
import { withDenies } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { presentTrigger } from "./present-trigger.ts";
import { listTriggers } from "./queries.ts";

/** What a run has waited for: events, sleeps and awaited children, oldest first by default. */
export async function listRunEvents(ctx: ProjectCtx, run_id: string, query: ListHistoryQuery) {
  if (!(await isVisibleRun(ctx, run_id))) throw notFound("run");
  const page = readPageById(ctx, `runs/${run_id}/events`, { order: "asc", ...query }, "t");
  const { data, ...rest } = presentPage(ctx, page, await listTriggers(ctx, page, { job_run_id: run_id }));
  const messages = await readApprovalMessages(ctx, ctx.project_id, data);
  return { data: data.map((row) => presentTrigger(ctx, row, messages.get(row.id))), ...rest };
}

async function isVisibleRun(ctx: ProjectCtx, id: string): Promise<boolean> {
  if (!isId(id)) return false;
  const { rows } = await sql`
    select 1 from runs r
    where r.project_id = ${ctx.project_id} and r.id = ${id} and ${visible(await withDenies(ctx, "runs:read"), "runs", "r")}`.execute(
    ctx.db,
  );
  return rows.length > 0;
}
