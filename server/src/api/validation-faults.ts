import type { ProblemError } from "@millrace/contract/problem";
import type { FastifySchemaValidationError } from "fastify/types/schema.js";
import { indexLocation, keyLocation } from "../platform/json/json-location.ts";

const MOST_FAULTS = 50;
const MOST_VALUE_CHARACTERS = 200;

type Fault = FastifySchemaValidationError & { data?: unknown };

/** Ajv's errors as locations a caller can find: `body.steps[2].event_key`. */
export function faultsOf(faults: readonly Fault[], part: string): ProblemError[] {
  const root = part === "querystring" ? "query" : part === "params" ? "path" : part;
  return faults.slice(0, MOST_FAULTS).map((fault) => ({
    location: locationOf(root, fault),
    message: messageOf(fault),
    value: brief(fault.keyword === "additionalProperties" ? extraValue(fault) : fault.data),
  }));
}

function locationOf(root: string, fault: Fault): string {
  const steps = fault.instancePath.split("/").slice(1).map(decodePointer);
  const { missingProperty, additionalProperty, propertyName } = fault.params as Record<string, string | undefined>;
  const last = missingProperty ?? additionalProperty ?? propertyName;
  return [...steps, ...(last === undefined ? [] : [last])].reduce(appendStep, root);
}

function appendStep(location: string, step: string): string {
  return /^\d+$/.test(step) ? indexLocation(location, Number(step)) : keyLocation(location, step);
}

function decodePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function messageOf(fault: Fault): string {
  const { allowedValues, additionalProperty } = fault.params as {
    allowedValues?: unknown[];
    additionalProperty?: string;
  };
  switch (fault.keyword) {
    case "additionalProperties":
      return `is not a known ${fault.instancePath === "" ? "field or parameter" : "name"} here`;
    case "required":
      return "is required";
    case "enum":
      return `must be one of ${(allowedValues ?? []).slice(0, 50).join(", ")}`;
    default:
      return additionalProperty ? `${additionalProperty} ${fault.message}` : (fault.message ?? "is not valid");
  }
}

function extraValue(fault: Fault): unknown {
  const { additionalProperty } = fault.params as { additionalProperty?: string };
  // A credential that was sent to the wrong place is not sent back.
  if (additionalProperty === "token") return undefined;
  const holder = fault.data as Record<string, unknown> | undefined;
  return additionalProperty && holder ? holder[additionalProperty] : undefined;
}

/** The answer to a megabyte of nonsense is not another megabyte. */
function brief(value: unknown): unknown {
  if (typeof value === "string" && value.length > MOST_VALUE_CHARACTERS)
    return `${value.slice(0, MOST_VALUE_CHARACTERS)}…`;
  if (typeof value === "object" && JSON.stringify(value).length > MOST_VALUE_CHARACTERS) return null;
  return value === undefined ? null : value;
}
