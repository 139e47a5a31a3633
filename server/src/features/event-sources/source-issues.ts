import type { CreateEventSource, UpdateEventSource } from "@millrace/contract/events/event-sources";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import type { SemanticValidation } from "../../platform/route.ts";
import { slugIssues } from "../../platform/slug.ts";

/** A secret that is missing for its signature, or given without one. */
export function secretIssues({ signature = "none", secret }: Partial<CreateEventSource>): ProblemError[] {
  const message =
    signature === "none" && secret !== undefined
      ? "is only for a source with a signature"
      : signature === "stripe" && secret === undefined
        ? "is required: Stripe generates the secret of its webhooks"
        : undefined;
  return message === undefined ? [] : [{ location: "body.secret", message, value: null }];
}

/** Semantic validation of an event source, independent of its signature. */
export function sourceUpdateSemanticValidation({ slug, payload_schema }: Partial<UpdateEventSource>): ProblemError[] {
  return [...slugIssues(slug), ...savedSchemaIssues(payload_schema, "body.payload_schema")];
}

/** Semantic validation of a new event source. */
export function sourceSemanticValidation(
  left: Partial<CreateEventSource>,
  { refused }: SemanticValidation,
): ProblemError[] {
  return [...sourceUpdateSemanticValidation(left), ...(refused.has("body.signature") ? [] : secretIssues(left))];
}
