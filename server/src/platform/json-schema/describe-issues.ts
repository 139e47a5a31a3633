import type { ProblemError } from "@millrace/contract/schema/problem";
import { indexLocation, keyLocation } from "../json/json-location.ts";
import { jsonRoom } from "../json/json-room.ts";
import { messageOf, type SchemaIssue } from "./issue-messages.ts";

const MAX_ISSUES = 50;
const MAX_VALUE_CHARACTERS = 200;
/** For a location or a message: a schema may name properties and values of 64 KB. */
const MAX_CHARACTERS = 4_096;

/** Converts Ajv's errors to locations a caller can find, beginning with `root`: `body.steps[2].event_key`. */
export function describeIssues(issues: readonly SchemaIssue[], root: string): ProblemError[] {
  return withoutBranches(issues.slice(0, MAX_ISSUES)).map((issue) => ({
    location: truncate(locationOf(root, issue), MAX_CHARACTERS),
    message: truncate(messageOf(issue), MAX_CHARACTERS),
    value: brief(issue.keyword === "additionalProperties" ? extraValue(issue) : issue.data),
  }));
}

/**
 * For a value that matches none of several schemas, Ajv reports the issues of each of them, then that none matches. A
 * caller who meant one of them needs only its issues: type issues are dropped if there are others, else merged into
 * one.
 */
function withoutBranches(issues: readonly SchemaIssue[]): SchemaIssue[] {
  const kept: SchemaIssue[] = [];
  for (const issue of issues) {
    const branches = fitsNone(issue) ? takeBelow(kept, issue.instancePath) : [];
    const ofType = branches.filter(
      ({ keyword, instancePath }) => keyword === "type" && instancePath === issue.instancePath,
    );
    const others = branches.filter((branch) => !ofType.includes(branch));
    if (branches.length === 0) kept.push(issue);
    else if (ofType.length > 0 && others.length > 0 && others.every(({ keyword }) => keyword === "format"))
      kept.push({ ...issue, keyword: "either", params: { messages: [...ofType, ...others].map(messageOf) } });
    else if (others.length > 0) kept.push(...others);
    else kept.push({ ...issue, keyword: "type", params: { type: ofType.flatMap(({ params }) => params.type) } });
  }
  return kept;
}

/** `oneOf` may also report that two match. */
function fitsNone({ keyword, params }: SchemaIssue): boolean {
  return keyword === "anyOf" || (keyword === "oneOf" && params.passingSchemas === null);
}

/** Removes and returns the trailing issues at or below a path. */
function takeBelow(issues: SchemaIssue[], path: string): SchemaIssue[] {
  const isBelow = ({ instancePath }: SchemaIssue) => instancePath === path || instancePath.startsWith(`${path}/`);
  const first = issues.findLastIndex((issue) => !isBelow(issue)) + 1;
  return issues.splice(first);
}

function locationOf(root: string, issue: SchemaIssue): string {
  const steps = issue.instancePath.split("/").slice(1).map(decodePointer);
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = issue.params as Names;
  const last = missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  return [...steps, ...(last === undefined ? [] : [last])].reduce(appendStep, root);
}

type Names = Partial<Record<"missingProperty" | "additionalProperty" | "unevaluatedProperty" | "propertyName", string>>;

function appendStep(location: string, step: string): string {
  return /^\d+$/.test(step) ? indexLocation(location, Number(step)) : keyLocation(location, step);
}

function decodePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function extraValue(issue: SchemaIssue): unknown {
  const { additionalProperty } = issue.params as { additionalProperty?: string };
  // A credential sent to the wrong field is not echoed.
  if (additionalProperty === "token") return undefined;
  const holder = issue.data as Record<string, unknown> | undefined;
  return additionalProperty && holder ? holder[additionalProperty] : undefined;
}

/** Keeps the response to a megabyte of invalid input small. */
function brief(value: unknown): unknown {
  if (typeof value === "string") return truncate(value, MAX_VALUE_CHARACTERS);
  if (jsonRoom(value, MAX_VALUE_CHARACTERS) < 0) return null;
  return value === undefined ? null : value;
}

function truncate(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
