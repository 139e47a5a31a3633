import type { ProblemError } from "@millrace/contract/problem";
import { checkTemplate } from "../../flow/check-template.ts";
import { eventKeyFault } from "../../flow/waits/event-key.ts";
import { parseCron } from "../../platform/cron.ts";
import { Refusal } from "../../platform/errors.ts";
import { compileJsonSchema } from "../../platform/json-schema/compile-json-schema.ts";
import type { WorkflowSetting, WorkflowSettings } from "./workflow-settings.ts";

const MOST_TOLD = 100;

/** What neither the schema of the body nor the steps can tell. Settings that stay as they are are not judged. */
export function workflowFaults(workflow: WorkflowSettings, changed: ReadonlySet<WorkflowSetting>): ProblemError[] {
  return [
    ...(changed.has("payload_schema") ? schemaFault(workflow) : []),
    ...(changed.has("cancel_on") ? cancelFaults(workflow) : []),
    ...(changed.has("cron") || changed.has("timezone") ? cronFaults(workflow) : []),
  ];
}

/** All faults at once, or nothing. */
export function refuseFaults(faults: readonly ProblemError[]): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  throw new Refusal("validation_failed", `${first.location}: ${first.message}${more}`, {
    errors: faults.slice(0, MOST_TOLD),
  });
}

function schemaFault({ payload_schema }: WorkflowSettings): ProblemError[] {
  const compiled = payload_schema ? compileJsonSchema(payload_schema) : undefined;
  return compiled?.ok === false ? [{ location: "body.payload_schema", message: compiled.message, value: null }] : [];
}

function cancelFaults({ cancel_on }: WorkflowSettings): ProblemError[] {
  return cancel_on.flatMap(({ event_key }, i) => {
    const location = `body.cancel_on[${i}].event_key`;
    const problems = checkTemplate(event_key, ["payload"], location);
    const fault = event_key.includes("{{") ? undefined : eventKeyFault(event_key);
    const messages = [...problems.map((problem) => problem.message), ...(fault === undefined ? [] : [fault])];
    return messages.map((message) => ({ location, message, value: event_key }));
  });
}

/** Without times of its own a workflow still has a time zone, which may get some later. */
function cronFaults({ cron, timezone }: WorkflowSettings): ProblemError[] {
  const parsed = parseCron(cron ?? "@daily", timezone);
  if (parsed.ok) return [];
  const { field, message } = parsed;
  return [{ location: `body.${field}`, message, value: field === "cron" ? cron : timezone }];
}
