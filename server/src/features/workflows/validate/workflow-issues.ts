import type { ProblemError } from "@millrace/contract/schema/problem";
import { checkTemplate } from "../../../flow/templates/check-template.ts";
import { eventKeyIssue } from "../../../flow/waits/event-keys.ts";
import { savedSchemaIssues } from "../../../platform/json-schema/compile-json-schema.ts";
import { slugIssues } from "../../../platform/slug.ts";
import { cronIssues } from "../../../platform/time/cron.ts";
import type { WorkflowSetting, WorkflowSettings } from "../workflow-settings.ts";

const MAX_CANCEL_KEY_LENGTH = 512; // also before its templates are rendered

/** The settings that are validated here. */
export type CheckedWorkflow = { slug?: string } & Pick<
  WorkflowSettings,
  "payload_schema" | "cancel_on" | "cron" | "timezone"
>;

/** Validates what neither the schema of the body nor the steps cover. Unchanged settings are not validated. */
export function workflowIssues(workflow: CheckedWorkflow, changed: ReadonlySet<WorkflowSetting>): ProblemError[] {
  return [
    ...(changed.has("slug") ? slugIssues(workflow.slug) : []),
    ...(changed.has("payload_schema") ? savedSchemaIssues(workflow.payload_schema, "body.payload_schema") : []),
    ...(changed.has("cancel_on") ? cancelIssues(workflow) : []),
    ...(changed.has("cron") || changed.has("timezone") ? timesIssues(workflow) : []),
  ];
}

function cancelIssues({ cancel_on }: CheckedWorkflow): ProblemError[] {
  return cancel_on.flatMap(({ event_key }, i) => {
    const location = `body.cancel_on[${i}].event_key`;
    const problems = checkTemplate(event_key, ["payload"], location).map(({ message }) => message);
    const issue = event_key.includes("{{") ? templateLengthIssue(event_key) : eventKeyIssue(event_key);
    const messages = [...problems, ...(issue === undefined ? [] : [issue])];
    return messages.map((message) => ({ location, message, value: event_key.slice(0, 200) }));
  });
}

function templateLengthIssue(event_key: string): string | undefined {
  const isTooLong = [...event_key].length > MAX_CANCEL_KEY_LENGTH;
  return isTooLong ? `must have at most ${MAX_CANCEL_KEY_LENGTH} characters` : undefined;
}

/** A workflow without a cron still has a time zone, and may get a cron later. */
function timesIssues({ cron, timezone }: CheckedWorkflow): ProblemError[] {
  const given = { cron, timezone };
  return cronIssues(cron ?? "@daily", timezone).map(({ field, message }) => ({
    location: `body.${field}`,
    message,
    value: given[field],
  }));
}
