import type { TObject, TSchema } from "typebox";
import { pathParams, querySchema } from "../../src/api/route-schema.ts";
import type { Route } from "../../src/platform/route.ts";

type Parameter = {
  in: "path" | "query" | "header";
  name: string;
  required: boolean;
  description?: string;
  schema: object;
};

export function parametersOf(route: Route): Parameter[] {
  const query = querySchema(route);
  return [
    ...fieldsAs("path", pathParams(route.path)),
    ...fieldsAs("query", query),
    ...(route.streams ? [textParameter("query", "token", TOKEN)] : []),
    ...(route.auth.kind === "project" ? [textParameter("header", "X-Project-Id", PROJECT)] : []),
    ...(route.takesIdempotencyKey
      ? [{ ...textParameter("header", "Idempotency-Key", IDEMPOTENCY_KEY), schema: PRINTABLE }]
      : []),
    ...("last_event_id" in query.properties ? [textParameter("header", "Last-Event-ID", LAST_EVENT_ID)] : []),
    ...(route.signed ? SIGNATURES.map(([name, description]) => textParameter("header", name, description)) : []),
  ];
}

const TOKEN =
  "Replaces the header `Authorization`, which an EventSource cannot set: a token from `POST /v1/tokens`, or an API key.";
const PROJECT = "Project id or slug, as in the query parameter `project_id`.";
const IDEMPOTENCY_KEY =
  "Makes the request safe to repeat: within 24 hours the same key returns the result of the first request, and different " +
  "content with the same key is rejected with 409 `idempotency_conflict`.";
const LAST_EVENT_ID = "The id of the last received event: the stream continues after it.";
const PRINTABLE = { type: "string", pattern: "^[\\x21-\\x7e][\\x20-\\x7e]{0,255}$" };

/** The `signature` of a source determines which of these headers its webhooks carry. */
const SIGNATURES = [
  ["X-Svc-Timestamp", "With `hmac`: Unix seconds at which the webhook was signed."],
  ["X-Svc-Signature", "With `hmac`: `v1=<hex>`, the HMAC-SHA256 of `<timestamp>.<body>`."],
  ["X-Hub-Signature-256", "With `github`: `sha256=<hex>`."],
  ["X-GitHub-Delivery", "With `github`: the id of the event."],
  ["X-GitHub-Event", "With `github`: the type of the event."],
  ["Stripe-Signature", "With `stripe`: `t=<timestamp>,v1=<hex>`."],
] as const;

function textParameter(place: "query" | "header", name: string, description: string): Parameter {
  return { in: place, name, required: false, description, schema: { type: "string" } };
}

function fieldsAs(place: "path" | "query", fields: TObject | undefined): Parameter[] {
  if (!fields) return [];
  return Object.entries(fields.properties as Record<string, TSchema>).map(([name, field]) => {
    const { description, ...schema } = field as { description?: string };
    const required = fields.required?.includes(name) ?? false;
    return { in: place, name, required, ...(description !== undefined && { description }), schema };
  });
}
