import { refTo } from "@millrace/contract/schema/schema";
import type { TSchema } from "typebox";
import { changesShown } from "../../src/api/build-api.ts";
import { receiptsFor } from "../../src/api/response/write-receipts.ts";
import type { Route } from "../../src/platform/route.ts";
import { codesOf, refusalsOf } from "./error-responses.ts";
import { printSchema } from "./json-schema.ts";
import { parametersOf } from "./parameters.ts";
import { securityOf } from "./security.ts";

/** A route as an Operation Object. */
export function operationOf(route: Route): object {
  const parameters = parametersOf(route);
  const requestBody = bodyOf(route);
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(changesShown(route.method) && { description: TAKES_BACK }),
    tags: [areaOf(route.path)],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    security: securityOf(route),
    responses: { ...successesOf(route), ...refusalsOf(route), ...otherResponsesOf(route) },
    "x-error-codes": codesOf(route),
  };
}

const TAKES_BACK =
  "Accepts the object that GET of this path returns. Fields outside the request schema are read-only: they are ignored " +
  "if unchanged, and rejected with 422 `read_only_field` if they differ.";

function operationId({ method, path }: Route): string {
  const words = path === "/" ? ["dashboard"] : path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

function areaOf(path: string): string {
  const [first, second] = path.split("/").filter(Boolean);
  if (first === "sdk") return "sdk";
  return first === "v1" ? (second ?? "v1") : "operations";
}

function bodyOf({ body, signed }: Route): object | undefined {
  if (signed) return { description: SIGNED, content: { "application/json": { schema: {} } } };
  if (!body) return undefined;
  const { required = [] } = body as unknown as { required?: string[] };
  const content = { "application/json": { schema: printSchema(refTo(body)) } };
  // An absent body counts as an empty object.
  return { ...(required.length > 0 && { required: true }), content };
}

const SIGNED =
  "The event in its sender's format: any JSON, which becomes the payload. The signature covers the bytes as sent.";

function successesOf(route: Route): Record<string, object> {
  const { status, response, produces, producesSchema, otherForms = [] } = route;
  const others = Object.fromEntries(otherForms.map((type) => [type, { schema: TEXT }]));
  if (response) {
    const content = { "application/json": { schema: printSchema(refTo(response)) }, ...others };
    return { [status]: { ...describe(route, response), content } };
  }
  if (produces)
    return { [status]: { description: route.summary, content: { ...contentOf(produces, producesSchema), ...others } } };
  return { [status]: { description: "Done" } };
}

const TEXT = { type: "string" };

/** Media types have no parameters: a reader that compares them literally would find no match. */
function contentOf(produces: string, schema: TSchema | undefined): object {
  const type = produces.split(";", 1)[0] ?? produces;
  const isBinary = type.startsWith("font/");
  return {
    [type]: { schema: schema ? printSchema(refOrSelf(schema)) : { ...TEXT, ...(isBinary && { format: "binary" }) } },
  };
}

function refOrSelf(schema: TSchema): TSchema {
  return "$id" in schema ? refTo(schema) : schema;
}

/** Responses with other statuses; they replace a problem response of the same status. */
function otherResponsesOf(route: Route): Record<string, object> {
  const entries = Object.entries(route.otherResponses ?? {}).map(([status, response]) => {
    const content = { "application/json": { schema: printSchema(refTo(response)) } };
    return [status, { ...describe(route, response), content }];
  });
  return Object.fromEntries(entries);
}

/**
 * The receipt that callers without read permission get is not an alternative in the schema: every client would have to
 * distinguish the two, and most never receive it.
 */
function describe(route: Route, response: TSchema): object {
  const receipts = receiptsFor(route, response).map(({ schema }) => schema);
  const headers = route.takesIdempotencyKey && { headers: REPLAYED };
  if (receipts.length === 0) return { description: descriptionOf(response), ...headers };
  const names = receipts.map((schema) => `\`${(schema as { $id?: string }).$id}\``).join(" or ");
  return {
    description: `${descriptionOf(response)} Callers without read permission get ${names} instead.`,
    ...headers,
    "x-receipts": receipts.map((schema) => printSchema(refTo(schema))),
  };
}

const REPLAYED = {
  "Idempotent-Replayed": {
    description:
      "Present if this request was not executed because an earlier one had the same idempotency key. The response shows the result of that one.",
    schema: { type: "string", enum: ["true"] },
  },
};

function descriptionOf(schema: TSchema): string {
  return (schema as { description?: string }).description ?? "Success";
}
