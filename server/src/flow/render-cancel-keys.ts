import { Refusal } from "../platform/errors.ts";
import { renderText } from "./render-template.ts";
import { eventKeyFault } from "./waits/event-key.ts";

/**
 * The events that cancel a run, each once, rendered over its payload. A key that cannot be made would never cancel it:
 * told now, while somebody listens.
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
  const fault = rendered.ok ? eventKeyFault(rendered.value) : undefined;
  if (rendered.ok && fault === undefined) return rendered.value;
  const why = rendered.ok ? `it ${fault}` : rendered.problem.message;
  throw new Refusal("payload_invalid", `The event key "${template}" of cancel_on cannot be made, since ${why}.`, {
    errors: [{ location, message: `cannot make the event key "${template}" of cancel_on, since ${why}`, value: null }],
  });
}
