import {
  AuditEventList,
  AuditVerification,
  ExportAuditEventsQuery,
  ListAuditEventsQuery,
  VerifyAuditEventsQuery,
} from "@millrace/contract/projects/audit-events";
import { projectRoute, type Route } from "../../platform/route.ts";
import { exportAuditEvents } from "./export-audit-events.ts";
import { listAuditEvents } from "./queries.ts";
import { verifyAuditEvents } from "./verify-audit-events.ts";

export const auditEventRoutes: Route[] = [
  projectRoute("GET /v1/audit-events", {
    summary: "List audit events",
    scope: "audit:read",
    query: ListAuditEventsQuery,
    response: AuditEventList,
    run: (ctx, { query }) => listAuditEvents(ctx, query),
  }),
  projectRoute("GET /v1/audit-events/verify", {
    summary: "Verify the chain of audit events",
    scope: "audit:read",
    query: VerifyAuditEventsQuery,
    response: AuditVerification,
    run: (ctx, { query }) => verifyAuditEvents(ctx, query),
  }),
  projectRoute("GET /v1/audit-events/export", {
    summary: "Export audit events as NDJSON or CSV",
    scope: "audit:read",
    query: ExportAuditEventsQuery,
    streams: true,
    produces: "application/x-ndjson",
    otherForms: ["text/csv"],
    run: (ctx, { query }, reply) => exportAuditEvents(ctx, query, reply),
  }),
];
