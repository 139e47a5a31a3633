import Type, { type Static } from "typebox";
import { responseObject } from "../schema/schema.ts";

const Secs = (what: string, setting: string) =>
  Type.Integer({ minimum: 0, description: `Seconds after which ${what} are deleted (\`${setting}\`).` });

export const Retention = responseObject(
  "Retention",
  {
    runs_secs: Secs("ended runs, with input, output and history,", "RUN_RETENTION"),
    workflow_runs_secs: Secs("ended workflow runs, with their steps,", "WORKFLOW_RUN_RETENTION"),
    logs_secs: Secs("log lines", "LOG_RETENTION"),
    webhook_deliveries_secs: Secs("ended webhook deliveries", "DELIVERY_RETENTION"),
    event_triggers_secs: Secs("ended event triggers and received events", "EVENT_TRIGGER_RETENTION"),
    audit_events_secs: Secs("audit events", "AUDIT_RETENTION"),
  },
  "How long the service keeps data. The values in effect, whether the operator set them or not.",
);
export type Retention = Static<typeof Retention>;
