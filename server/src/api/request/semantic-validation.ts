import type { FastifyRequest } from "fastify";
import type { CallerCtx, ProjectCtx } from "../../platform/context.ts";
import { validationError } from "../../platform/errors/validation-error.ts";
import type { Config } from "../../platform/settings/config.ts";
import { issuesOf } from "./validation-issues.ts";
import { isLarge } from "./validators.ts";
import { type BodyValidator, withoutRefused } from "./without-refused.ts";

export type ValidationError = NonNullable<FastifyRequest["validationError"]>;

/**
 * Returns the validation error of a body, with its semantic issues added to those of its schema, as far as the route
 * can determine them. `project`: the project in which the route may look up names, if any.
 */
export async function withSemanticIssues(
  error: ValidationError,
  request: FastifyRequest,
  { config, project }: { config: Config; project: CallerCtx | undefined },
): Promise<Error> {
  const row = request.routeOptions.config.row;
  const validate = request.getValidationFunction("body") as BodyValidator | undefined;
  const found =
    error.validationContext === "body" && validate && !isLarge(request.body) && withoutRefused(request.body, validate);
  if (!row?.semanticValidation || !found) return error;
  const reported = issuesOf(error.validation, "body");
  const { left, refused } = found;
  const places = new Set([...refused, ...reported.map(({ location }) => location)]);
  const beside = await row.semanticValidation(left as never, {
    refused,
    config,
    params: request.params as Record<string, string>,
    project: project as ProjectCtx | undefined,
  });
  const others = beside.filter(({ location }) => ![...places].some((place) => isWithin(location, place)));
  return validationError([...reported, ...others]) ?? error;
}

function isWithin(location: string, place: string): boolean {
  return location === place || location.startsWith(`${place}.`) || location.startsWith(`${place}[`);
}
