import { ProjectIdQuery } from "@millrace/contract/fields";
import { Problem } from "@millrace/contract/problem";
import { refTo } from "@millrace/contract/schema";
import type { FastifySchema } from "fastify";
import Type, { type TObject, type TSchema } from "typebox";
import type { RouteRow } from "../platform/route.ts";
import { changesShown } from "./shown-by.ts";

/** What Fastify validates and serialises by, and what the OpenAPI document shows of a row. */
export function routeSchema(row: RouteRow): FastifySchema {
  return {
    summary: row.summary,
    ...(changesShown(row.method) && { description: TAKES_BACK }),
    tags: [areaOf(row.path)],
    operationId: `${row.method.toLowerCase()}${row.path.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_, c: string) => c.toUpperCase()).replaceAll(/\W/g, "")}`,
    ...(pathParams(row.path) && { params: pathParams(row.path) }),
    querystring: querySchema(row),
    ...(row.body && { body: refTo(row.body) }),
    response: responses(row),
    ...securityOf(row),
  };
}

const TAKES_BACK =
  "Takes back what GET of this path answers. Fields that are not of the body are read-only: sent unchanged they are " +
  "passed over, and one that differs is refused with 422 `read_only_field`.";

/** `/v1/runs/{runID}` as the router writes it: `/v1/runs/:runID`. */
export function routerPath(path: string): string {
  // `/v1/events/callback/send` is a send to the key `callback`, and no callback.
  return path.replace("{token}", ":token(^(?!send$|stream$).+$)").replaceAll(/\{(\w+)\}/g, ":$1");
}

function areaOf(path: string): string {
  const [first, second] = path.split("/").filter(Boolean);
  if (first === "sdk") return "sdk";
  return first === "v1" ? (second ?? "v1") : "operations";
}

function pathParams(path: string): TSchema | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (names.length === 0) return undefined;
  return Type.Object(Object.fromEntries(names.map((name) => [name, isEventKey(name) ? Type.String() : NotEmpty])));
}

const NotEmpty = Type.String({ minLength: 1 });

/** Event keys have a rule of their own, and a code that says so. */
function isEventKey(param: string): boolean {
  return param === "eventKey" || param === "prefix";
}

/** Unknown parameters are refused, so that a misspelt filter never passes for "no filter". */
function querySchema(row: RouteRow): TSchema {
  const own = (row.query as TObject | undefined)?.properties ?? {};
  const project = row.auth.kind === "project" ? { project_id: Type.Optional(ProjectIdQuery) } : {};
  return Type.Object({ ...own, ...project }, { additionalProperties: false });
}

function responses(row: RouteRow): Record<string, unknown> {
  const problem = {
    description: "A problem",
    content: { "application/problem+json": { schema: refTo(Problem) } },
  };
  const others = Object.entries(row.otherAnswers ?? {}).map(([status, answer]) => [status, refTo(answer)]);
  return { [row.status]: successResponse(row), ...Object.fromEntries(others), "4xx": problem, "5xx": problem };
}

function successResponse(row: RouteRow): unknown {
  if (row.answer && row.otherForms) return inForms(row.answer, row.otherForms);
  if (row.answer) return refTo(row.answer);
  if (row.produces) return { description: "Success", content: { [row.produces]: { schema: { type: "string" } } } };
  return { description: "Done", type: "null" };
}

/** JSON first: it is what is answered to whoever asks for nothing. */
function inForms(answer: TSchema, otherForms: readonly string[]): unknown {
  const others = otherForms.map((type) => [type, { schema: { type: "string" } }]);
  const content = { "application/json": { schema: refTo(answer) }, ...Object.fromEntries(others) };
  return { description: (answer as { description?: string }).description, content };
}

function securityOf(row: RouteRow): { security?: readonly Record<string, readonly string[]>[] } {
  switch (row.auth.kind) {
    case "none":
      return { security: [] };
    case "internal":
    case "operator":
      return { security: [{ internalSecret: [] }] };
    case "run":
      return { security: [{ runToken: [] }] };
    case "caller":
    case "project":
      return { security: [{ apiKey: row.auth.scope ? [row.auth.scope] : [] }, { internalSecret: [] }] };
  }
}
