import type { ProblemError } from "@millrace/contract/problem";
import type { FastifyRequest } from "fastify";
import type { Config } from "../platform/config.ts";
import { type BodyValidator, withoutRefused } from "./without-refused.ts";

/** What is wrong with a body beside what its schema has `told`, as far as its row can tell. */
export function besideSchema(request: FastifyRequest, told: readonly ProblemError[], config: Config): ProblemError[] {
  const row = request.routeOptions.config.row;
  const validate = request.getValidationFunction("body") as BodyValidator | undefined;
  if (!row?.besideSchema || !validate) return [];
  const found = withoutRefused(request.body, validate);
  if (!found) return [];
  const { left, refused } = found;
  const places = new Set([...refused, ...told.map(({ location }) => location)]);
  return row
    .besideSchema(left as never, { refused, config })
    .filter(({ location }) => ![...places].some((place) => isWithin(location, place)));
}

function isWithin(location: string, place: string): boolean {
  return location === place || location.startsWith(`${place}.`) || location.startsWith(`${place}[`);
}
