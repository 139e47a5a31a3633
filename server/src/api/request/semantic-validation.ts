import type { ProblemError } from "@millrace/contract/schema/problem";
import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import type { CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { validationError } from "../../platform/errors/issues.ts";
import { indexLocation, keyLocation } from "../../platform/json/json-location.ts";
import { describeIssues } from "../../platform/json-schema/describe-issues.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { ApiRequest } from "../http-messages.ts";
import { isLarge } from "./validators.ts";

export type ValidationError = NonNullable<ApiRequest["validationError"]>;

/**
 * Returns the validation error of a body, with its semantic issues added to those of its schema, as far as the route
 * can determine them. `project`: the project in which the route may look up names, if any.
 */
export async function withSemanticIssues(
  error: ValidationError,
  request: ApiRequest,
  { config, project }: { config: Config; project: CallerCtx | undefined },
): Promise<Error> {
  const route = request.routeOptions.config.route;
  const validate = request.getValidationFunction?.("body") as BodyValidator | undefined;
  const found =
    error.validationContext === "body" && validate && !isLarge(request.body) && withoutRefused(request.body, validate);
  if (!route?.semanticValidation || !found) return error;
  const reported = issuesOf(error.validation, "body");
  const { left, refused } = found;
  const paths = new Set([...refused, ...reported.map(({ location }) => location)]);
  const semantic = await route.semanticValidation(left as never, {
    refused,
    config,
    params: request.params as Record<string, string>,
    project: project as ProjectCtx | undefined,
  });
  const others = semantic.filter(({ location }) => ![...paths].some((path) => isWithin(location, path)));
  return validationError([...reported, ...others]) ?? error;
}

function isWithin(location: string, path: string): boolean {
  return location === path || location.startsWith(`${path}.`) || location.startsWith(`${path}[`);
}

type SchemaIssue = { keyword: string; instancePath: string; params: Record<string, unknown> };
type BodyValidator = { (body: unknown): boolean; errors?: SchemaIssue[] | null };
type Holder = Record<string, unknown>;

/**
 * Returns a body without the values that its schema refuses, and their paths. A refused list item removes the whole
 * list, since the indexes would shift; an object that lacks a field is removed as a whole, except for the body itself.
 * Undefined: nothing is left to validate.
 */
function withoutRefused(
  body: unknown,
  validate: BodyValidator,
): { left: object; refused: ReadonlySet<string> } | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const left = structuredClone(body) as Holder;
  const refused = new Set<string>();
  while (!validate(left)) {
    const issues = (validate.errors ?? []).filter(
      ({ keyword, instancePath }) => keyword !== "required" || instancePath,
    );
    if (issues.length === 0) break;
    for (const issue of issues) {
      const path = pathOf(issue);
      if (path.length === 0) return undefined;
      const location = removeValue(left, path);
      if (location !== undefined) refused.add(location);
    }
  }
  return { left, refused };
}

function pathOf({ keyword, instancePath, params }: SchemaIssue): string[] {
  const path = instancePath.split("/").slice(1);
  const names = path.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keyword === "additionalProperties" ? [...names, String(params.additionalProperty)] : names;
}

/** Returns the path of the removed value; undefined when another issue removed it already. */
function removeValue(body: Holder, path: readonly string[]): string | undefined {
  let holder: unknown = body;
  let location = "body";
  let last: { holder: Holder; name: string; location: string } | undefined;
  for (const name of path) {
    if (typeof holder !== "object" || holder === null) return undefined;
    const isList = Array.isArray(holder);
    location = isList ? indexLocation(location, Number(name)) : keyLocation(location, name);
    if (!isList) last = { holder: holder as Holder, name, location };
    holder = (holder as Holder)[name];
  }
  if (!last || !(last.name in last.holder)) return undefined;
  delete last.holder[last.name];
  return last.location;
}

/** Issues of a part of the request, under the name a caller knows. */
export function issuesOf(issues: readonly FastifySchemaValidationError[], part: string): ProblemError[] {
  const root = part === "querystring" ? "query" : part === "params" ? "path" : part;
  return describeIssues(issues, root);
}
