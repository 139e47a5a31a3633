import type { ProblemError } from "@millrace/contract/problem";
import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import { describeFaults } from "../platform/json-schema/describe-faults.ts";

/** Faults of a part of the request, under the name a caller knows it by. */
export function faultsOf(faults: readonly FastifySchemaValidationError[], part: string): ProblemError[] {
  const root = part === "querystring" ? "query" : part === "params" ? "path" : part;
  return describeFaults(faults, root);
}
