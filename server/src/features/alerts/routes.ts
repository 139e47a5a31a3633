import { Alert, AlertList, ListAlertsQuery } from "@millrace/contract/alerts/alerts";
import type { ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { isId } from "../../platform/ids.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { projectRoute, type Route } from "../../platform/route.ts";

export const alertRoutes: Route[] = [
  projectRoute("GET /v1/alerts", {
    summary: "List alerts",
    scope: "alerts:read",
    query: ListAlertsQuery,
    response: AlertList,
    run: (ctx, { query }) => listAlerts(ctx, query),
  }),
  projectRoute("GET /v1/alerts/{alertID}", {
    summary: "Get an alert",
    scope: "alerts:read",
    foundBy: { table: "alerts", param: "alertID" },
    response: Alert,
    run: (ctx, { params }) => getAlert(ctx, params.alertID),
  }),
];

const COLUMNS = sql`a.id, a.project_id, a.rule_id, a.rule_name, a.kind, a.environment_id, a.status, a.summary, a.detail,
  a.value, a.threshold, a.notifications, a.fired_at, a.resolved_at, a.resolved_because, a.created_at`;

async function listAlerts(ctx: ProjectCtx, query: ListAlertsQuery) {
  const page = readPage(ctx, "alerts", query, "a");
  const { rows } = await sql<Alert>`
    select ${COLUMNS} from alerts a
    where a.project_id = ${ctx.project_id} ${query.status ? sql`and a.status = ${query.status}` : sql``}
      ${query.rule_id ? sql`and a.rule_id = ${query.rule_id}` : sql``} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return presentPage(ctx, page, rows);
}

async function getAlert(ctx: ProjectCtx, id: string): Promise<Alert> {
  const { rows } = await sql<Alert>`
    select ${COLUMNS} from alerts a
    where a.project_id = ${ctx.project_id} and a.id = ${isId(id) ? id : null}`.execute(ctx.db);
  if (!rows[0]) throw notFound("alert");
  return rows[0];
}
