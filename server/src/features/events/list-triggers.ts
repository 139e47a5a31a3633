import type { ListEventsQuery } from "@millrace/contract/events/events";
import type { ListHistoryQuery } from "@millrace/contract/runs/runs";
import { readApprovalMessages } from "../../flow/waits/find-trigger.ts";
import { withDenies } from "../../platform/access/policies/policies.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { invalid, notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { presentPage, readPageById, readPageByTime } from "../../platform/listing/page.ts";
import { listTriggers as listRows, presentTrigger } from "./queries.ts";

export async function listTriggers(ctx: ProjectCtx, query: ListEventsQuery) {
  const { data, ...rest } = query.sort === "expires_at" ? await listSoonest(ctx, query) : await listNewest(ctx, query);
  const messages = await readApprovalMessages(ctx, ctx.project_id, data);
  return { data: data.map((row) => presentTrigger(ctx, row, messages.get(row.id))), ...rest };
}

async function listNewest(ctx: ProjectCtx, query: ListEventsQuery) {
  const page = readPageById(ctx, "events", query, "t");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

/** Only for waiting triggers: no index covers `expires_at` of the others. */
async function listSoonest(ctx: ProjectCtx, query: ListEventsQuery) {
  if (query.status !== "waiting") throw invalid("query.sort", "`expires_at` needs `status=waiting`", query.sort);
  const page = readPageByTime(ctx, "events", { order: "asc", ...query }, "t", "expires_at");
  return presentPage(ctx, page, await listRows(ctx, page, query));
}

/** What a run has waited for: events, sleeps and awaited children, oldest first by default. */
export async function listRunEvents(ctx: ProjectCtx, run_id: string, query: ListHistoryQuery) {
  if (!(await isVisibleRun(ctx, run_id))) throw notFound("run");
  const page = readPageById(ctx, `runs/${run_id}/events`, { order: "asc", ...query }, "t");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, { job_run_id: run_id }));
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
