import type { Command } from "./command.ts";
import { api } from "./commands/api.ts";
import { dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { eventsList } from "./commands/events-list.ts";
import { eventsSend } from "./commands/events-send.ts";
import { eventsWatch } from "./commands/events-watch.ts";
import { init } from "./commands/init.ts";
import { jobsGet } from "./commands/jobs-get.ts";
import { jobsList } from "./commands/jobs-list.ts";
import { jobsPause } from "./commands/jobs-pause.ts";
import { jobsResume } from "./commands/jobs-resume.ts";
import { login } from "./commands/login.ts";
import { migrateStatus } from "./commands/migrate-status.ts";
import { migrateUp } from "./commands/migrate-up.ts";
import { runsCancel } from "./commands/runs-cancel.ts";
import { runsExplain } from "./commands/runs-explain.ts";
import { runsGet } from "./commands/runs-get.ts";
import { runsList } from "./commands/runs-list.ts";
import { runsLogs } from "./commands/runs-logs.ts";
import { runsReplay } from "./commands/runs-replay.ts";
import { runsTail } from "./commands/runs-tail.ts";
import { serve } from "./commands/serve.ts";
import { trigger } from "./commands/trigger.ts";
import { whoami } from "./commands/whoami.ts";
import { workflowRunsExplain } from "./commands/workflow-runs-explain.ts";
import { workflowRunsList } from "./commands/workflow-runs-list.ts";
import { workflowRunsWatch } from "./commands/workflow-runs-watch.ts";

/** Every command, in the order of help and docs. */
export const allCommands: readonly Command[] = [
  dev,
  serve,
  init,
  migrateUp,
  migrateStatus,
  doctor,
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
  workflowRunsList,
  workflowRunsWatch,
  workflowRunsExplain,
  jobsList,
  jobsGet,
  jobsPause,
  jobsResume,
  api,
  login,
  whoami,
];
