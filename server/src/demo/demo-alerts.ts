import type { CreateAlertRule } from "@millrace/contract/alerts/alert-rules";
import { DEMO_WORKFLOW } from "./demo-workflow.ts";

/** Example rules. The failures that the demo causes on purpose do not fire them. */
export const DEMO_ALERT_RULES: readonly CreateAlertRule[] = [
  {
    ...{ name: "Orders fail (demo)", kind: "failure_rate", workflow_id: DEMO_WORKFLOW.slug },
    ...{ threshold: 0.5, window_secs: 900 },
    runbook: "Open the newest failed order, and read the error of the step that failed.",
  },
  { name: "Runs wait too long (demo)", kind: "oldest_queued", threshold: 1_800, for_secs: 300 },
];
