import type { CreateEventSource, UpdateEventSource } from "@millrace/contract/event-sources";
import type { ProblemError } from "@millrace/contract/problem";
import { savedSchemaFaults } from "../../platform/json-schema/compile-json-schema.ts";
import type { BesideSchema } from "../../platform/route.ts";
import { slugFaults } from "../../platform/slug.ts";

/** A secret that its signature has no use for, or cannot do without. */
export function secretFaults({ signature = "none", secret }: Partial<CreateEventSource>): ProblemError[] {
  const message =
    signature === "none" && secret !== undefined
      ? "is for a source with a signature"
      : signature === "stripe" && secret === undefined
        ? "is required: Stripe makes the secret of its webhooks"
        : undefined;
  return message === undefined ? [] : [{ location: "body.secret", message, value: null }];
}

/** What is wrong with an event source, whatever its signature, beside what its schema says. */
export function sourceUpdateBesideSchema({ slug, payload_schema }: Partial<UpdateEventSource>): ProblemError[] {
  return [...slugFaults(slug), ...savedSchemaFaults(payload_schema, "body.payload_schema")];
}

/** What is wrong with a new event source beside what its schema says. */
export function sourceBesideSchema(left: Partial<CreateEventSource>, { refused }: BesideSchema): ProblemError[] {
  return [...sourceUpdateBesideSchema(left), ...(refused.has("body.signature") ? [] : secretFaults(left))];
}
