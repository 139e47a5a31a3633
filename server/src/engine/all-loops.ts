import { eventLoops } from "../features/events/loops.ts";
import { jobLoops } from "../features/jobs/loops.ts";
import { logLoops } from "../features/logs/loops.ts";
import { operationLoops } from "../features/operations/loops.ts";
import { projectLoops } from "../features/projects/loops.ts";
import { runLoops } from "../features/runs/loops.ts";
import { scheduleLoops } from "../features/schedules/loops.ts";
import { sessionLoops } from "../features/session/loops.ts";
import { webhookDeliveryLoops } from "../features/webhook-deliveries/loops.ts";
import { decisionLoops } from "../features/workflow-runs/decision-loops.ts";
import { workflowRunLoops } from "../features/workflow-runs/loops.ts";
import { workflowLoops } from "../features/workflows/loops.ts";
import type { Loop } from "../platform/loop.ts";
import { dispatchLoops } from "./dispatch-loops.ts";

/** Every background duty of the service. `npm run loops` prints it. */
export const allLoops: readonly Loop[] = [
  ...dispatchLoops,
  ...runLoops,
  ...jobLoops,
  ...logLoops,
  ...operationLoops,
  ...projectLoops,
  ...scheduleLoops,
  ...sessionLoops,
  ...eventLoops,
  ...workflowLoops,
  ...decisionLoops,
  ...workflowRunLoops,
  ...webhookDeliveryLoops,
];
