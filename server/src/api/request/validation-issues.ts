import type { ProblemError } from "@millrace/contract/problem";
import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import { describeIssues } from "../../platform/json-schema/describe-issues.ts";

/** Issues of a part of the request, under the name a caller knows. */
export function issuesOf(issues: readonly FastifySchemaValidationError[], part: string): ProblemError[] {
  const root = part === "querystring" ? "query" : part === "params" ? "path" : part;
  return describeIssues(issues, root);
}
