import type { CreateEventSource, UpdateEventSource } from "@millrace/contract/event-sources";
import type { ProblemError } from "@millrace/contract/problem";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import type { SemanticValidation } from "../../platform/route.ts";
import { slugIssues } from "../../platform/slug.ts";

/** A secret that its signature has no use for, or cannot do without. */
export function secretIssues({ signature = "none", secret }: Partial<CreateEventSource>): ProblemError[] {
  const message =
    signature === "none" && secret !== undefined
      ? "is for a source with a signature"
      : signature === "stripe" && secret === undefined
        ? "is required: Stripe makes the secret of its webhooks"
        : undefined;
  return message === undefined ? [] : [{ location: "body.secret", message, value: null }];
}

/** What is wrong with an event source, whatever its signature, beside what its schema says. */
export function sourceUpdateSemanticValidation({ slug, payload_schema }: Partial<UpdateEventSource>): ProblemError[] {
  return [...slugIssues(slug), ...savedSchemaIssues(payload_schema, "body.payload_schema")];
}

/** What is wrong with a new event source beside what its schema says. */
export function sourceSemanticValidation(
  left: Partial<CreateEventSource>,
  { refused }: SemanticValidation,
): ProblemError[] {
  return [...sourceUpdateSemanticValidation(left), ...(refused.has("body.signature") ? [] : secretIssues(left))];
}
