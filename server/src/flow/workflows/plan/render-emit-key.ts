import { renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/send/event-key.ts";
import type { StepError } from "./graph-types.ts";

/** `parent_outputs`: of the steps that the key names, at least. */
export type EmitScope = { payload: unknown; parent_outputs: Record<string, unknown>; output: unknown };
export type EmitKey = { ok: true; event_key: string } | { ok: false; error: StepError };

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
