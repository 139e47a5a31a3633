import { ApiError } from "../../../platform/errors/errors.ts";
import { renderText } from "../../templates/render-template.ts";
import { eventKeyIssue } from "../../waits/send/event-key.ts";

/**
 * The events that cancel a run, each once, rendered over its payload. A key that cannot be rendered would never cancel
 * it: reported now, while there is a caller to receive it.
 */
export function renderCancelKeys(
  cancel_on: readonly { event_key: string }[],
  payload: unknown,
  location: string,
): string[] {
  if (cancel_on.length === 0) return [];
  return [...new Set(cancel_on.map(({ event_key }) => renderKey(event_key, payload, location)))];
}

function renderKey(template: string, payload: unknown, location: string): string {
  const rendered = renderText(template, { payload });
  const issue = rendered.ok ? eventKeyIssue(rendered.value) : undefined;
  if (rendered.ok && issue === undefined) return rendered.value;
  const why = rendered.ok ? `it ${issue}` : rendered.problem.message;
  throw new ApiError("payload_invalid", `The event key "${template}" of cancel_on is invalid: ${why}.`, {
    errors: [{ location, message: `makes the event key "${template}" of cancel_on invalid: ${why}`, value: null }],
  });
}
