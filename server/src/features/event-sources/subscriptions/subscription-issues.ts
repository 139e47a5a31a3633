import type { ProblemError } from "@millrace/contract/schema/problem";
import { compileFilter, TEMPLATE_ROOTS } from "../../../flow/sources/match-subscriptions.ts";
import { checkTemplate } from "../../../flow/templates/check-template.ts";
import type { SubscriptionRow } from "./subscription-queries.ts";

/** Reports a filter that does not compile and templates that cannot be rendered. Checks only the given fields. */
export function subscriptionIssues({
  filter = null,
  payload = null,
  concurrency_key = null,
}: Partial<Pick<SubscriptionRow, "filter" | "payload" | "concurrency_key">>): ProblemError[] {
  return [
    ...filterIssues(filter),
    ...templateIssues("body.payload", payload),
    ...templateIssues("body.concurrency_key", concurrency_key),
  ];
}

function filterIssues(filter: string | null): ProblemError[] {
  if (filter === null) return [];
  const compiled = compileFilter(filter);
  return compiled.ok ? [] : [{ location: "body.filter", message: compiled.message, value: filter }];
}

function templateIssues(location: string, template: unknown): ProblemError[] {
  return checkTemplate(template, TEMPLATE_ROOTS, location).map(({ location: at, message }) => ({
    location: at,
    message,
    value: null,
  }));
}
