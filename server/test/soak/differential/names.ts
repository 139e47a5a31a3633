import type { Json } from "./json.ts";

/** Names of one project's objects that are the same in every build, by id. */
export type Names = { of: (id: string | null | undefined) => string; write: (text: string) => string };

type Place = { id: string; key_id: string; url: string; endpoint: string };
export type Objects = Record<Kind, Json[]>;
type Kind =
  | "versions"
  | "runs"
  | "workflowRuns"
  | "schedules"
  | "batches"
  | "subscriptions"
  | "jobs"
  | "workflows"
  | "environments"
  | "triggers";

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const CALLBACK = /\/v1\/events\/callback\/[\w.~-]+/g;

/**
 * Names objects by their path, not by creation order, which is undefined for parallel steps and items. Objects
 * with the same path are numbered in the order of their lists.
 */
export function nameObjects(place: Place, objects: Objects): Names {
  const names = new Map<string, string>([
    [place.id, "project"],
    [place.key_id, "key"],
  ]);
  const used = new Map<string, number>();
  const name = (id: string, path: string) => {
    const count = (used.get(path) ?? 0) + 1;
    used.set(path, count);
    names.set(id, count === 1 ? path : `${path} (${count})`);
  };
  const of = (id: string | null | undefined) => (id ? (names.get(id) ?? "<id>") : "-");

  for (const { id, slug } of objects.environments) name(id, slug);
  for (const { id, slug } of [...objects.jobs, ...objects.workflows]) name(id, slug);
  for (const version of objects.versions) name(version.id, version.name);
  for (const { id } of objects.schedules) name(id, "schedule");
  for (const { id } of objects.subscriptions) name(id, "subscription");
  for (const { id, kind } of objects.batches) name(id, `batch ${kind}`);
  for (const { id, payload, parent_workflow_run_id, parent_step_ref, schedule_id } of objects.workflowRuns) {
    if (parent_workflow_run_id) name(id, `${of(parent_workflow_run_id)}/${parent_step_ref}`);
    else name(id, schedule_id ? `workflow run of ${of(schedule_id)}` : `workflow run ${payload?.n ?? ""}`);
  }
  for (const run of objects.runs) name(run.id, pathOfRun(run, of));
  for (const trigger of objects.triggers) {
    const { id, job_run_id, workflow_run_id, wait_kind, event_key } = trigger;
    const key = wait_kind === "event" ? event_key : "";
    name(id, `wait ${wait_kind} ${key} of ${of(job_run_id ?? workflow_run_id)}`);
  }

  const write = (text: string) =>
    text
      .replaceAll(place.endpoint, "http://endpoint")
      .replaceAll(place.url, "http://service")
      .replaceAll(CALLBACK, "/v1/events/callback/<token>")
      .replaceAll(ID, (id) => of(id))
      .replaceAll(TIME, "<time>");
  return { of, write };
}

function pathOfRun(run: Json, of: Names["of"]): string {
  const { workflow_run_id, step_ref, replay_of, parent_run_id, schedule_id, payload, metadata } = run;
  if (workflow_run_id) return `${of(workflow_run_id)}/${step_ref}`;
  if (replay_of) return `replay of ${of(replay_of)}`;
  if (parent_run_id) return `${of(parent_run_id)}/child`;
  if (metadata?.on_failure_of) return `handler of ${of(metadata.on_failure_of)}`;
  if (schedule_id) return `run of ${of(schedule_id)}`;
  return `run ${payload?.n ?? ""}`;
}
