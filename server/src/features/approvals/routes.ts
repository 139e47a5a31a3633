import { holdsScope } from "@millrace/contract/access/scopes";
import { type Approval, ApprovalList, ListApprovalsQuery } from "@millrace/contract/workflows/approvals";
import { approverNames } from "../../platform/access/approver-names.ts";
import { ofEnvironment } from "../../platform/access/environments.ts";
import { visible } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { presentPage, readPageById } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const approvalRoutes: Route[] = [
  projectRoute("GET /v1/approvals", {
    summary: "List the steps that wait for an approval",
    scope: "workflows:read",
    query: ListApprovalsQuery,
    response: ApprovalList,
    run: (ctx, { query }) => listApprovals(ctx, query),
  }),
];

/** Steps may be decided by their approvers, or without any by everyone who may write workflows. */
export async function listApprovals(ctx: ProjectCtx, { mine, ...query }: ListApprovalsQuery) {
  const { environment_id, workflow_run_id } = query;
  const page = readPageById(ctx, `approvals/${mine === true}`, query, "t");
  const names = await approverNames(ctx);
  const mayWrite = ctx.caller.kind === "internal_secret" || holdsScope(ctx.caller.scopes, "workflows:write");
  const mayDecide = sql`(${mayWrite} and (d.approvers = '[]' or jsonb_exists_any(d.approvers, ${names}::text[])))`;
  const { rows } = await sql<Omit<Approval, "$schema">>`
    select t.id, t.workflow_run_id, w.workflow_id, f.name as workflow_name, t.environment_id, s.step_ref, s.message,
      d.approvers, ${mayDecide} as may_decide, t.requested_at, t.expires_at, t.created_at
    from event_triggers t
    join workflow_runs w on w.project_id = t.project_id and w.id = t.workflow_run_id
    join workflows f on f.project_id = w.project_id and f.id = w.workflow_id
    join step_runs s on s.project_id = t.project_id and s.workflow_run_id = t.workflow_run_id and s.event_trigger_id = t.id
    join workflow_versions v on v.project_id = w.project_id and v.id = w.version_id,
    lateral (
      select coalesce(jsonb_path_query_first(v.steps, '$[*] ? (@.step_ref == $ref).approvers',
        jsonb_build_object('ref', s.step_ref)), '[]') as approvers
    ) d
    where t.project_id = ${ctx.project_id} and t.status = 'waiting' and t.wait_kind = 'approval' and w.stopped is null
      and ${visible(ctx, "workflow_runs", "w")} ${ofEnvironment(ctx, "t", environment_id)}
      ${workflow_run_id === undefined ? sql`` : sql`and t.workflow_run_id = ${workflow_run_id}`}
      ${mine === true ? sql`and ${mayDecide}` : sql``} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return presentPage(ctx, page, rows);
}
