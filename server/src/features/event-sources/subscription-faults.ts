import type { ProblemError } from "@millrace/contract/problem";
import { checkTemplate } from "../../flow/check-template.ts";
import { compileFilter, TEMPLATE_ROOTS } from "../../flow/sources/match-subscriptions.ts";
import { Refusal } from "../../platform/errors.ts";
import type { SubscriptionRow } from "./subscription-queries.ts";

/** Refuses a filter that does not compile and templates that cannot be rendered, all faults at once. */
export function refuseFaults({
  filter,
  payload,
  concurrency_key,
}: Pick<SubscriptionRow, "filter" | "payload" | "concurrency_key">): void {
  const errors = [
    ...filterFaults(filter),
    ...templateFaults("body.payload", payload),
    ...templateFaults("body.concurrency_key", concurrency_key),
  ];
  const [first] = errors;
  if (first) throw new Refusal("validation_failed", `${first.location}: ${first.message}`, { errors });
}

function filterFaults(filter: string | null): ProblemError[] {
  if (filter === null) return [];
  const compiled = compileFilter(filter);
  return compiled.ok ? [] : [{ location: "body.filter", message: compiled.message, value: filter }];
}

function templateFaults(location: string, template: unknown): ProblemError[] {
  return checkTemplate(template, TEMPLATE_ROOTS, location).map(({ location: at, message }) => ({
    location: at,
    message,
    value: null,
  }));
}
