import type { Command } from "./command.ts";
import { alertChannelCommands } from "./commands/alerts/channels.ts";
import { alertsHistory } from "./commands/alerts/history.ts";
import { alertsPreview } from "./commands/alerts/preview.ts";
import { alertRuleCommands } from "./commands/alerts/rules.ts";
import { api } from "./commands/api.ts";
import { apply } from "./commands/apply.ts";
import { backupCommands } from "./commands/backup.ts";
import { budgetCommands } from "./commands/budget.ts";
import { completionOf } from "./commands/completion.ts";
import { dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { drainsCommands } from "./commands/drains.ts";
import { endpointsList } from "./commands/endpoints.ts";
import { envCommands } from "./commands/env.ts";
import { errorsCommands } from "./commands/errors.ts";
import { eventsList } from "./commands/events/list.ts";
import { eventsSend } from "./commands/events/send.ts";
import { eventsWatch } from "./commands/events/watch.ts";
import { exportCommand } from "./commands/export.ts";
import { generateTypes } from "./commands/generate.ts";
import { init } from "./commands/init.ts";
import { jobsGet } from "./commands/jobs/get.ts";
import { jobsList } from "./commands/jobs/list.ts";
import { jobsPause } from "./commands/jobs/pause.ts";
import { jobsResume } from "./commands/jobs/resume.ts";
import { keysCommands } from "./commands/keys.ts";
import { listen } from "./commands/listen.ts";
import { login } from "./commands/login.ts";
import { mcp } from "./commands/mcp.ts";
import { membersCommands } from "./commands/members.ts";
import { migrateStatus } from "./commands/migrate/status.ts";
import { migrateUp } from "./commands/migrate/up.ts";
import { open } from "./commands/open.ts";
import { outboxInstall } from "./commands/outbox/install.ts";
import { outboxSourcesCommands } from "./commands/outbox/sources.ts";
import { outboxUninstall } from "./commands/outbox/uninstall.ts";
import { plan } from "./commands/plan.ts";
import { profileCommands } from "./commands/profile.ts";
import { queuesCommands } from "./commands/queues.ts";
import { runsCancel } from "./commands/runs/cancel.ts";
import { runsExplain } from "./commands/runs/explain.ts";
import { runsGet } from "./commands/runs/get.ts";
import { runsList } from "./commands/runs/list.ts";
import { runsLogs } from "./commands/runs/logs.ts";
import { runsReplay } from "./commands/runs/replay.ts";
import { runsTail } from "./commands/runs/tail.ts";
import { schedulesCommands } from "./commands/schedules.ts";
import { serve } from "./commands/serve.ts";
import { sourcesCommands } from "./commands/sources.ts";
import { supportBundle } from "./commands/support-bundle.ts";
import { top } from "./commands/top.ts";
import { trigger } from "./commands/trigger.ts";
import { webhooksCommands } from "./commands/webhooks.ts";
import { whoami } from "./commands/whoami.ts";
import { workersCommands } from "./commands/workers.ts";
import { workflowRunsExplain } from "./commands/workflow-runs/explain.ts";
import { workflowRunsList } from "./commands/workflow-runs/list.ts";
import { stopAndContinue } from "./commands/workflow-runs/stop-and-continue.ts";
import { workflowRunsWatch } from "./commands/workflow-runs/watch.ts";
import { canaryCommands } from "./commands/workflows/canary.ts";
import { changeWorkflows } from "./commands/workflows/change.ts";
import { workflowsGraph } from "./commands/workflows/graph.ts";
import { readWorkflows } from "./commands/workflows/read.ts";
import { workflowsTrigger } from "./commands/workflows/trigger.ts";

/** Every command, in the order of help and docs. */
export const allCommands: readonly Command[] = [
  dev,
  serve,
  init,
  migrateUp,
  migrateStatus,
  ...backupCommands,
  doctor,
  supportBundle,
  top,
  open,
  exportCommand,
  plan,
  apply,
  trigger,
  runsList,
  runsTail,
  runsGet,
  runsLogs,
  runsExplain,
  runsCancel,
  runsReplay,
  eventsSend,
  eventsWatch,
  eventsList,
  ...readWorkflows,
  workflowsGraph,
  workflowsTrigger,
  ...changeWorkflows,
  ...canaryCommands,
  workflowRunsList,
  workflowRunsWatch,
  workflowRunsExplain,
  ...stopAndContinue,
  jobsList,
  jobsGet,
  jobsPause,
  jobsResume,
  ...queuesCommands,
  ...workersCommands,
  endpointsList,
  ...schedulesCommands,
  ...envCommands,
  ...webhooksCommands,
  listen,
  ...sourcesCommands,
  ...drainsCommands,
  outboxInstall,
  outboxUninstall,
  ...outboxSourcesCommands,
  ...alertRuleCommands,
  alertsPreview,
  alertsHistory,
  ...alertChannelCommands,
  ...errorsCommands,
  ...keysCommands,
  ...membersCommands,
  ...budgetCommands,
  api,
  generateTypes,
  mcp,
  login,
  whoami,
  ...profileCommands,
  completionOf(() => allCommands),
];
