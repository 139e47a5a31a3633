import type { StreamChange } from "@millrace/contract/deliveries/streams";
import { isRunWithin, isWorkflowRunWithin, tokenLimitsOf } from "../../platform/access/credentials/token-limits.ts";
import { boundEnvironment } from "../../platform/access/environments.ts";
import { mayUse } from "../../platform/access/policies/visibility.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import type { EventStream } from "../../platform/streams/event-stream.ts";
import { followPaced } from "../../platform/streams/follow-paced.ts";
import type { Change } from "../../platform/streams/read-changes.ts";
import type { StreamStart } from "../../platform/streams/resume-position.ts";
import type { SeenAs } from "./require-topics.ts";
import type { Topic } from "./topics.ts";

/** For each log: the topic for all objects, the topic for one object, and the type of its changes. */
const LOGS = {
  run: { all: "runs", one: "run", type: "run.status" },
  workflow_run: { all: "workflow_runs", one: "workflow_run", type: "workflow_run.decision" },
  run_log: { all: undefined, one: "run_logs", type: "run.log" },
  webhook_delivery: { all: "webhook_deliveries", one: "webhook_delivery", type: "webhook_delivery.status" },
  batch_operation: { all: "batches", one: "batch", type: "batch.progress" },
} as const;

const LOGGED: ReadonlySet<string | undefined> = new Set(Object.values(LOGS).flatMap(({ all, one }) => [all, one]));
const STATES = ["webhook_delivery", "batch_operation"] as const;

/**
 * Streams runs, workflow runs, log lines, deliveries and batch operations. They have positions in a log, so no change
 * is missed.
 */
export function followLogs(seenAs: SeenAs, stream: EventStream, topics: Topic[], start: StreamStart): () => void {
  const logged = topics.filter(({ kind }) => LOGGED.has(kind));
  if (logged.length === 0) return () => {};
  const ctx = seenAs.runs;
  const { project_id } = ctx;
  const log_run_ids = logged.flatMap(({ kind, id }) => (kind === "run_logs" ? [id] : []));
  const states = STATES.filter((state) =>
    logged.some(({ kind }) => kind === LOGS[state].all || kind === LOGS[state].one),
  );
  const present = (change: Change) => {
    const log = LOGS[change.kind];
    const names = logged.flatMap(({ name, kind, id }) => {
      const isMatch = kind === log.all ? maySee(seenAs, change) : kind === log.one && id === change.object_id;
      return isMatch ? [name] : [];
    });
    if (names.length === 0) return undefined;
    const { at, ...object } = change.data;
    const data: StreamChange = { topics: names, type: log.type, id: change.object_id, at: String(at), object };
    return { event: "change", data };
  };
  return followPaced(ctx, stream, { project_id, log_run_ids, states, present }, start).stop;
}

/** The same check as `visible`, for a loaded row. Topics for one object were checked when the stream was opened. */
function maySee(seenAs: SeenAs, { kind, object_id: id, environment_id, tags, data }: Change): boolean {
  const limits = tokenLimitsOf(seenAs.runs.caller);
  switch (kind) {
    case "workflow_run": {
      const target = { type: kind, id, environment_id, tags, workflow_id: data.workflow_id as string };
      return mayUse(seenAs.workflow_runs, target) && isWorkflowRunWithin(limits, { id, tags });
    }
    case "webhook_delivery":
      return isOfCaller(seenAs.webhooks, environment_id) && mayUse(seenAs.webhooks, { type: kind, id, environment_id });
    case "batch_operation":
      return isOfCaller(seenAs.runs, environment_id) && mayUse(seenAs.runs, { type: kind, id, environment_id });
    default: {
      const target = { type: "run", id, environment_id, tags, job_id: data.job_id as string };
      if (!mayUse(seenAs.runs, target)) return false;
      return isRunWithin(limits, { id, tags, workflow_run_id: data.workflow_run_id as string | null });
    }
  }
}

/** Objects without an environment belong to the whole project; a caller bound to an environment does not see them. */
function isOfCaller({ caller }: ProjectCtx, environment_id: string | null): boolean {
  const bound = boundEnvironment(caller);
  return bound === null || bound === environment_id;
}
