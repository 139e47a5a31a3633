import { listTemplatePaths } from "../../templates/check-template.ts";
import { renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/send/event-key.ts";
import type { JobStep } from "../plan/definition.ts";
import type { StepError } from "../plan/graph-types.ts";
import { type LoadedRun, note, stepOf } from "./loaded-run.ts";

/** The steps whose outputs the emit keys of these steps read. */
export function emitReads(loaded: LoadedRun, completed: readonly string[]): string[] {
  return completed.flatMap((step_ref) => {
    const step = emitting(loaded, step_ref);
    if (!step) return [];
    const paths = listTemplatePaths(step.event_emit_key).map((path) => path.split("."));
    return paths.flatMap(([root, ref]) => (root === "parent_outputs" && ref !== undefined ? [ref] : []));
  });
}

/** Some of these steps emit events. */
export function emits(loaded: LoadedRun, completed: readonly string[]): boolean {
  return completed.some((step_ref) => emitting(loaded, step_ref) !== undefined);
}

/**
 * A completed step with an `event_emit_key` emits an event: an outbox entry, processed after the commit. Never fails
 * the step.
 */
export function noteEmits(loaded: LoadedRun, completed: readonly string[]): void {
  for (const step_ref of completed) {
    const step = emitting(loaded, step_ref);
    if (step) noteEmit(loaded, step);
  }
}

function noteEmit(loaded: LoadedRun, { step_ref, event_emit_key, event_emit_buffer_secs }: Emitting): void {
  const { project_id, id: workflow_run_id, payload } = loaded.run;
  const output = loaded.outputs.get(step_ref) ?? null;
  const key = renderEmitKey(event_emit_key, { payload, parent_outputs: Object.fromEntries(loaded.outputs), output });
  if (!key.ok) {
    note(loaded, "emit", step_ref, `no event was sent: ${key.error.message}`);
    return;
  }
  const { id, generation } = stepOf(loaded, step_ref);
  loaded.outbox.push({
    project_id,
    transition_id: `${id}:${generation}`,
    kind: "emit",
    target_id: key.event_key,
    detail: { payload: output, buffer_secs: event_emit_buffer_secs, workflow_run_id, step_ref },
  });
}

type Emitting = JobStep & { event_emit_key: string };

function emitting({ version }: LoadedRun, step_ref: string): Emitting | undefined {
  const step = version.byRef.get(step_ref);
  return step?.type === "job" && step.event_emit_key !== null ? (step as Emitting) : undefined;
}

/** `parent_outputs`: of the steps that the key names, at least. */
type EmitScope = { payload: unknown; parent_outputs: Record<string, unknown>; output: unknown };
type EmitKey = { ok: true; event_key: string } | { ok: false; error: StepError };

/** The key of the event that a completed job step emits. An issue is recorded in explain, and fails nothing. */
export function renderEmitKey(template: string, scope: EmitScope): EmitKey {
  const key = renderText(template, scope, "event_emit_key");
  if (!key.ok) {
    const { code, location, message } = key.problem;
    return { ok: false, error: { code, message: `${location} cannot be rendered: ${message}` } };
  }
  const issue = eventKeyIssue(key.value);
  if (issue === undefined) return { ok: true, event_key: key.value };
  return { ok: false, error: { code: "invalid_event_key", message: `the rendered event_emit_key ${issue}` } };
}
