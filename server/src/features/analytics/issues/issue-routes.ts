import {
  AssignErrorIssue,
  ErrorIssue,
  ErrorIssueDetail,
  ErrorIssueList,
  ErrorIssueRunList,
  ListErrorIssueRunsQuery,
  ListErrorIssuesQuery,
} from "@millrace/contract/alerts/error-issues";
import { recordAudit } from "../../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import { presentPage, readPageByTime } from "../../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../../platform/route.ts";
import { jobNamed } from "../reports/read-names.ts";
import { getIssue, listIssueRuns } from "./issue-detail.ts";
import { findIssue, type IssueRow, listIssues, lockIssue, openIssues } from "./issue-queries.ts";
import { withTrend, withTrends } from "./issue-trends.ts";

const foundBy = { table: "error_groups", param: "errorIssueID" } as const;
const change = { scope: "analytics:write", foundBy, response: ErrorIssue } as const;

export const errorIssueRoutes: Route[] = [
  projectRoute("GET /v1/error-issues", {
    summary: "List error issues, the last seen first",
    scope: "analytics:read",
    query: ListErrorIssuesQuery,
    response: ErrorIssueList,
    run: async (ctx, { query }) => {
      const page = readPageByTime(ctx, "error-issues", query, "g", "last_seen_at");
      const job_ids = await jobNamed(ctx, query.job_id);
      const { data, ...rest } = presentPage(ctx, page, await listIssues(await openIssues(ctx), page, query, job_ids));
      return { data: await withTrends(ctx, data), ...rest };
    },
  }),
  projectRoute("GET /v1/error-issues/{errorIssueID}", {
    summary: "Get an error issue with its versions and trend",
    scope: "analytics:read",
    foundBy,
    response: ErrorIssueDetail,
    run: (ctx, { params }) => getIssue(ctx, params.errorIssueID),
  }),
  projectRoute("GET /v1/error-issues/{errorIssueID}/runs", {
    summary: "List the runs of an error issue that can be replayed, oldest first",
    scope: "analytics:read",
    foundBy,
    query: ListErrorIssueRunsQuery,
    response: ErrorIssueRunList,
    run: (ctx, { params, query }) => listIssueRuns(ctx, params.errorIssueID, query),
  }),
  projectRoute("POST /v1/error-issues/{errorIssueID}/resolve", {
    summary: "Resolve an error issue; the next failure reopens it",
    ...change,
    run: (ctx, { params }) => changeIssue(ctx, params.errorIssueID, "resolved", { status: "resolved" }),
  }),
  projectRoute("POST /v1/error-issues/{errorIssueID}/ignore", {
    summary: "Ignore an error issue",
    ...change,
    run: (ctx, { params }) => changeIssue(ctx, params.errorIssueID, "ignored", { status: "ignored" }),
  }),
  projectRoute("POST /v1/error-issues/{errorIssueID}/reopen", {
    summary: "Reopen an error issue",
    ...change,
    run: (ctx, { params }) => changeIssue(ctx, params.errorIssueID, "reopened", { status: "open" }),
  }),
  projectRoute("POST /v1/error-issues/{errorIssueID}/assign", {
    summary: "Assign an error issue to someone",
    ...change,
    body: AssignErrorIssue,
    run: (ctx, { params, body }) => changeIssue(ctx, params.errorIssueID, "assigned", body),
  }),
];

type Wanted = Partial<Pick<ErrorIssue, "status" | "assigned_to">>;

async function changeIssue(ctx: ProjectCtx, id: string, action: string, wanted: Wanted) {
  return withTrend(ctx, await writeIssue(ctx, id, action, wanted));
}

/** Setting what is set already changes nothing. */
async function writeIssue(ctx: ProjectCtx, id: string, action: string, wanted: Wanted): Promise<IssueRow> {
  const reader = await openIssues(ctx);
  return inTransaction(reader, async (tx) => {
    const before = await lockIssue(tx, id);
    const { status, assigned_to } = { ...before, ...wanted };
    if (status === before.status && assigned_to === before.assigned_to) return before;
    await sql`
      update error_groups set status = ${status}, assigned_to = ${assigned_to}, updated_at = clock(),
        resolved_at = case when ${status} = 'resolved' then coalesce(resolved_at, clock()) end
      where project_id = ${tx.project_id} and id = ${id}`.execute(tx.db);
    const after = await findIssue(tx, id);
    const audited = { resource_type: "error_issue", resource_id: id, before, after };
    await recordAudit(tx, { action: `error_issue.${action}`, ...audited });
    return after;
  });
}
