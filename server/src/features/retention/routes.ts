import { Retention } from "@millrace/contract/projects/retention";
import { projectRoute, type Route } from "../../platform/route.ts";

export const retentionRoutes: Route[] = [
  projectRoute("GET /v1/retention", {
    summary: "Get how long data is kept",
    scope: "projects:read",
    response: Retention,
    run: async ({ config }) => ({
      runs_secs: config.run_retention_secs,
      workflow_runs_secs: config.workflow_run_retention_secs,
      logs_secs: config.log_retention_secs,
      webhook_deliveries_secs: config.delivery_retention_secs,
      event_triggers_secs: config.event_trigger_retention_secs,
      audit_events_secs: config.audit_retention_secs,
    }),
  }),
];
