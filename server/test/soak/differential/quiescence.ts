import { setTimeout as pause } from "node:timers/promises";
import type { Json } from "./json.ts";
import type { Project } from "./project.ts";

/** Timers of sequences are a second or two, or an hour and more. Those in between do not exist. */
const SOON_MS = 60_000;
const WITHIN_MS = 90_000;
const POLL_MS = 60;
/** A handler whose job was disabled, or whose run was erased, is never found. */
const MOST_HANDLER_POLLS = 40;

/** Blockers that only another operation, or a timer of hours, ends. */
const LASTING = new Set([
  ...["dependency", "paused_run", "paused_job", "paused_workflow_run", "concurrency_key", "job_concurrency", "budget"],
]);
const OPEN = "pending,running,waiting,paused";

/** Waits until nothing happens in the project by itself: two readings in a row agree that everything open is blocked. */
export async function untilQuiescent(project: Project, hasBudget: boolean): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  let reason: string | undefined = "not read yet";
  let handlerPolls = MOST_HANDLER_POLLS;
  for (let quiet = 0; quiet < 2; ) {
    reason = await readBusy(project, hasBudget);
    if (reason === undefined && handlerPolls-- > 0 && (await missingHandlers(project)) > 0)
      reason = "a failure handler";
    quiet = reason === undefined ? quiet + 1 : 0;
    if (performance.now() > deadline) throw new Error(`${project.build.name} is not quiescent: ${reason}`);
    if (quiet < 2) await pause(POLL_MS);
  }
}

/** What may still happen by itself, or undefined. */
async function readBusy(project: Project, hasBudget: boolean): Promise<string | undefined> {
  if (project.seen.inFlight > 0) return "a dispatch is in flight";
  const [runs, workflowRuns, triggers, batches] = await Promise.all([
    project.list(`/v1/runs?status=${OPEN}`),
    project.list("/v1/workflow-runs?status=pending,running,paused"),
    project.list("/v1/events?status=waiting"),
    project.list("/v1/batch-operations?status=pending,running"),
  ]);
  if (batches.length > 0) return "a batch operation";
  const soon = triggers.find(({ expires_at }) => isSoon(expires_at));
  if (soon) return `a wait that ends soon: ${soon.event_key}`;
  const open = new Set([...runs, ...workflowRuns].map(({ id }) => id));
  const waiting = new Set(triggers.map(({ job_run_id }) => job_run_id));
  const paused = new Set(workflowRuns.filter(({ status }) => status === "paused").map(({ id }) => id));
  for (const run of runs) {
    if (run.status === "waiting" && !waiting.has(run.id)) return `run ${run.id} waits for nothing`;
    if (run.status !== "pending" && run.status !== "running") continue;
    const reason = await busyRun(project, run);
    if (reason) return reason;
  }
  for (const run of workflowRuns) {
    const isStopped = [run.id, run.parent_workflow_run_id, run.root_workflow_run_id].some((id) => paused.has(id));
    const reason = isStopped ? undefined : await busyWorkflowRun(project, run, open, runs);
    if (reason) return reason;
  }
  return hasBudget ? unrecorded(project) : undefined;
}

async function busyRun(project: Project, run: Json): Promise<string | undefined> {
  const { body } = await project.api.get(`/v1/runs/${run.id}/explain`);
  if (body.running) return body.running.accepted_at === null ? `run ${run.id} is being dispatched` : undefined;
  if (body.blockers.length === 0) return `run ${run.id} is ${body.status} and not blocked`;
  const isLasting = ({ code, until }: Json) => LASTING.has(code) || (code === "not_due" && !isSoon(until));
  return body.blockers.some(isLasting) ? undefined : `run ${run.id}: ${body.summary}`;
}

async function busyWorkflowRun(project: Project, run: Json, open: Set<string>, runs: Json[]) {
  const path = `/v1/workflow-runs/${run.id}`;
  if (run.status === "pending") {
    if (!isSoon(run.scheduled_at)) return undefined;
    const { body } = await project.api.get(`${path}/explain?decision_type=hold`);
    return body.data?.length > 0 ? undefined : `workflow run ${run.id} has not started`;
  }
  const [{ body: graph }, steps] = await Promise.all([project.api.get(`${path}/graph`), project.list(`${path}/steps`)]);
  if (graph.runnable.length > 0) return `steps of ${run.id} are runnable: ${graph.runnable}`;
  const children = new Set(
    runs.filter(({ workflow_run_id }) => workflow_run_id === run.id).map((each) => each.step_ref),
  );
  const hasItem = (ref: string) => [...children].some((each) => String(each).startsWith(`${ref}[`));
  let isActive = false;
  for (const step of steps) {
    const { status, step_ref, type, run_id, child_workflow_run_id, compensation_status, compensation_run_id } = step;
    if (compensation_status === "running" && !open.has(compensation_run_id)) return `${step_ref} is compensated`;
    if (status === "running") {
      const isOpen = type === "map" ? hasItem(step_ref) : open.has(run_id ?? child_workflow_run_id);
      if (!isOpen) return `step ${step_ref} of ${run.id} is about to end`;
    }
    isActive ||= status === "running" || status === "waiting" || compensation_status === "running";
  }
  return isActive ? undefined : `workflow run ${run.id} is about to end`;
}

/** Jobs with a failure handler start it in a transaction of its own. */
async function missingHandlers(project: Project): Promise<number> {
  const jobs = await project.list("/v1/jobs");
  const handled = new Set(jobs.filter((job) => job.on_failure_job_id).map(({ id }) => id));
  if (handled.size === 0) return 0;
  const ended = await project.list("/v1/runs?order=asc");
  const isFailed = (run: Json) => handled.has(run.job_id) && /^(failed|timed_out)$/.test(run.status);
  const failed = ended.filter((run) => isFailed(run) && run.metadata.on_failure_of === undefined);
  const started = new Set(ended.map(({ metadata }) => metadata.on_failure_of));
  return failed.filter(({ id }) => !started.has(id)).length;
}

/** A budget admits runs after the cost of earlier ones is recorded. */
async function unrecorded(project: Project): Promise<string | undefined> {
  const runs = await project.list("/v1/runs?status=completed,failed,timed_out,canceled");
  const { body } = await project.api.get("/v1/usage/current");
  return body.runs.total === runs.length ? undefined : `usage has ${body.runs.total} of ${runs.length} runs`;
}

function isSoon(time: string | null): boolean {
  return time !== null && Date.parse(time) < Date.now() + SOON_MS;
}
