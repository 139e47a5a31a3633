import type { Command } from "./command.ts";
import { auditCommands } from "./commands/access/audit.ts";
import { keysCommands } from "./commands/access/keys.ts";
import { login } from "./commands/access/login.ts";
import { logout } from "./commands/access/logout.ts";
import { membersCommands } from "./commands/access/members.ts";
import { profileCommands } from "./commands/access/profile.ts";
import { rolesCommands } from "./commands/access/roles.ts";
import { whoami } from "./commands/access/whoami.ts";
import { alertChannelCommands } from "./commands/delivery/alerts/channels.ts";
import { alertsHistory } from "./commands/delivery/alerts/history.ts";
import { alertsPreview } from "./commands/delivery/alerts/preview.ts";
import { alertRuleCommands } from "./commands/delivery/alerts/rules.ts";
import { drainsCommands } from "./commands/delivery/drains.ts";
import { listen } from "./commands/delivery/listen.ts";
import { outboxInstall } from "./commands/delivery/outbox/install.ts";
import { outboxSourcesCommands } from "./commands/delivery/outbox/sources.ts";
import { outboxUninstall } from "./commands/delivery/outbox/uninstall.ts";
import { sourcesCommands } from "./commands/delivery/sources.ts";
import { webhooksCommands } from "./commands/delivery/webhooks.ts";
import { apply } from "./commands/project/apply.ts";
import { budgetCommands } from "./commands/project/budget.ts";
import { envCommands } from "./commands/project/env.ts";
import { exportCommand } from "./commands/project/export.ts";
import { plan } from "./commands/project/plan.ts";
import { backupCommands } from "./commands/service/backup.ts";
import { dev } from "./commands/service/dev.ts";
import { doctor } from "./commands/service/doctor.ts";
import { init } from "./commands/service/init.ts";
import { migrateStatus } from "./commands/service/migrate/status.ts";
import { migrateUp } from "./commands/service/migrate/up.ts";
import { serve } from "./commands/service/serve.ts";
import { status } from "./commands/service/status.ts";
import { supportBundle } from "./commands/service/support-bundle.ts";
import { top } from "./commands/service/top.ts";
import { api } from "./commands/tools/api.ts";
import { completionOf } from "./commands/tools/completion.ts";
import { generateClient } from "./commands/tools/generate/client.ts";
import { generateTypes } from "./commands/tools/generate/types.ts";
import { mcp } from "./commands/tools/mcp.ts";
import { open } from "./commands/tools/open.ts";
import { endpointsList } from "./commands/work/endpoints.ts";
import { errorsCommands } from "./commands/work/errors.ts";
import { eventsCancel } from "./commands/work/events/cancel.ts";
import { eventsList } from "./commands/work/events/list.ts";
import { eventsPurge } from "./commands/work/events/purge.ts";
import { eventsSend } from "./commands/work/events/send.ts";
import { eventsStats } from "./commands/work/events/stats.ts";
import { eventsWatch } from "./commands/work/events/watch.ts";
import { jobsCreate } from "./commands/work/jobs/create.ts";
import { jobsDelete } from "./commands/work/jobs/delete.ts";
import { jobsDiff } from "./commands/work/jobs/diff.ts";
import { jobsEdit } from "./commands/work/jobs/edit.ts";
import { jobsGet } from "./commands/work/jobs/get.ts";
import { jobsList } from "./commands/work/jobs/list.ts";
import { jobsPause } from "./commands/work/jobs/pause.ts";
import { jobsResume } from "./commands/work/jobs/resume.ts";
import { jobsVersions } from "./commands/work/jobs/versions.ts";
import { queuesCommands } from "./commands/work/queues.ts";
import { runsCancel } from "./commands/work/runs/cancel.ts";
import { runsDiff } from "./commands/work/runs/diff.ts";
import { runsExplain } from "./commands/work/runs/explain.ts";
import { runsGet } from "./commands/work/runs/get.ts";
import { runsList } from "./commands/work/runs/list.ts";
import { runsLogs } from "./commands/work/runs/logs.ts";
import { runsReplay } from "./commands/work/runs/replay.ts";
import { runsTail } from "./commands/work/runs/tail.ts";
import { runsWatch } from "./commands/work/runs/watch.ts";
import { schedulesCommands } from "./commands/work/schedules.ts";
import { trigger } from "./commands/work/trigger.ts";
import { workersCommands } from "./commands/work/workers.ts";
import { workflowRunsExplain } from "./commands/work/workflow-runs/explain.ts";
import { workflowRunsList } from "./commands/work/workflow-runs/list.ts";
import { stopAndContinue } from "./commands/work/workflow-runs/stop-and-continue.ts";
import { workflowRunsWatch } from "./commands/work/workflow-runs/watch.ts";
import { workflowsApply } from "./commands/work/workflows/apply.ts";
import { canaryCommands } from "./commands/work/workflows/canary.ts";
import { workflowsGraph } from "./commands/work/workflows/graph.ts";
import { planAndSimulate } from "./commands/work/workflows/plan-and-simulate.ts";
import { readWorkflows } from "./commands/work/workflows/read.ts";
import { workflowsTrigger } from "./commands/work/workflows/trigger.ts";

/** Every command, in the order of help and docs. */
export const allCommands: readonly Command[] = [
  dev,
  serve,
  init,
  migrateUp,
  migrateStatus,
  ...backupCommands,
  status,
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
  runsWatch,
  runsExplain,
  runsCancel,
  runsReplay,
  runsDiff,
  eventsSend,
  eventsWatch,
  eventsList,
  eventsStats,
  eventsCancel,
  eventsPurge,
  ...readWorkflows,
  workflowsGraph,
  workflowsTrigger,
  ...planAndSimulate,
  workflowsApply,
  ...canaryCommands,
  workflowRunsList,
  workflowRunsWatch,
  workflowRunsExplain,
  ...stopAndContinue,
  jobsList,
  jobsGet,
  jobsCreate,
  jobsEdit,
  jobsPause,
  jobsResume,
  jobsVersions,
  jobsDiff,
  jobsDelete,
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
  ...rolesCommands,
  ...auditCommands,
  ...budgetCommands,
  api,
  generateTypes,
  generateClient,
  mcp,
  login,
  logout,
  whoami,
  ...profileCommands,
  completionOf(() => allCommands),
];
