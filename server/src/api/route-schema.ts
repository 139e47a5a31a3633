import { ProjectIdQuery } from "@millrace/contract/schema/fields";
import { refTo } from "@millrace/contract/schema/schema";
import type { FastifySchema } from "fastify";
import Type, { type TObject, type TSchema } from "typebox";
import type { Route } from "../platform/route.ts";

/** The schema by which Fastify validates and serializes. `test/openapi` prints the OpenAPI document of a route. */
export function routeSchema(route: Route): FastifySchema {
  const params = pathParams(route.path);
  return {
    ...(params && { params }),
    querystring: querySchema(route),
    ...(route.body && { body: refTo(route.body) }),
    response: responses(route),
  };
}

/** `/v1/runs/{runID}` in the router's syntax: `/v1/runs/:runID`. */
export function routerPath(path: string): string {
  // `/v1/events/callback/send` sends to the key `callback`, and is not a callback.
  return path.replace("{token}", ":token(^(?!send$|stream$).+$)").replaceAll(/\{(\w+)\}/g, ":$1");
}

export function pathParams(path: string): TObject | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  if (names.length === 0) return undefined;
  return Type.Object(Object.fromEntries(names.map((name) => [name, isEventKey(name) ? Type.String() : NotEmpty])));
}

const NotEmpty = Type.String({ minLength: 1 });

/** Event keys have a rule and an error code of their own. */
function isEventKey(param: string): boolean {
  return param === "eventKey" || param === "prefix";
}

/** Unknown parameters are refused, so that a misspelled filter is never read as "no filter". */
export function querySchema(route: Route): TObject {
  const own = (route.query as TObject | undefined)?.properties ?? {};
  const project = route.auth.kind === "project" ? { project_id: Type.Optional(ProjectIdQuery) } : {};
  return Type.Object({ ...own, ...project }, { additionalProperties: false });
}

function responses({ status, response, otherResponses = {} }: Route): Record<string, TSchema> {
  const all = Object.entries({ ...otherResponses, ...(response && { [status]: response }) });
  return Object.fromEntries(all.map(([code, schema]) => [code, refTo(schema)]));
}
