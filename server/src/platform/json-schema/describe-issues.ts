import type { ProblemError } from "@millrace/contract/problem";
import { indexLocation, keyLocation } from "../json/json-location.ts";
import { jsonRoom } from "../json/json-room.ts";
import { messageOf } from "./issue-messages.ts";

const MOST_ISSUES = 50;
const MOST_VALUE_CHARACTERS = 200;
/** Of a location or a message: a schema may name properties and values of 64 KB. */
const MOST_CHARACTERS = 4_096;

/** What is used of an error of Ajv's, told with `verbose`. Its own message is not. */
export type SchemaIssue = {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  data?: unknown;
  /** The schema whose keyword it is. Ours leaves it out: a user's schema has no words. */
  parentSchema?: unknown;
};

/** Ajv's errors as locations a caller can find, beginning with `root`: `body.steps[2].event_key`. */
export function describeIssues(issues: readonly SchemaIssue[], root: string): ProblemError[] {
  return withoutBranches(issues.slice(0, MOST_ISSUES)).map((issue) => ({
    location: cut(locationOf(root, issue), MOST_CHARACTERS),
    message: cut(messageOf(issue), MOST_CHARACTERS),
    value: brief(issue.keyword === "additionalProperties" ? extraValue(issue) : issue.data),
  }));
}

/**
 * Of what fits none of several schemas, Ajv tells the issues by each of them, then that it fits none. Whoever meant one of
 * them needs its issues alone: those of another type are left out where there are others, and else told as one.
 */
function withoutBranches(issues: readonly SchemaIssue[]): SchemaIssue[] {
  const told: SchemaIssue[] = [];
  for (const issue of issues) {
    const branches = fitsNone(issue) ? takeBelow(told, issue.instancePath) : [];
    const ofType = branches.filter(
      ({ keyword, instancePath }) => keyword === "type" && instancePath === issue.instancePath,
    );
    const others = branches.filter((branch) => !ofType.includes(branch));
    if (branches.length === 0) told.push(issue);
    else if (ofType.length > 0 && others.length > 0 && others.every(({ keyword }) => keyword === "format"))
      told.push({ ...issue, keyword: "either", params: { messages: [...ofType, ...others].map(messageOf) } });
    else if (others.length > 0) told.push(...others);
    else told.push({ ...issue, keyword: "type", params: { type: ofType.flatMap(({ params }) => params.type) } });
  }
  return told;
}

/** `oneOf` may also say that it fits two. */
function fitsNone({ keyword, params }: SchemaIssue): boolean {
  return keyword === "anyOf" || (keyword === "oneOf" && params.passingSchemas === null);
}

/** Takes the last of the issues away, as far as they are at the place or below it. */
function takeBelow(issues: SchemaIssue[], place: string): SchemaIssue[] {
  const isBelow = ({ instancePath }: SchemaIssue) => instancePath === place || instancePath.startsWith(`${place}/`);
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
  // A credential that was sent to the wrong place is not sent back.
  if (additionalProperty === "token") return undefined;
  const holder = issue.data as Record<string, unknown> | undefined;
  return additionalProperty && holder ? holder[additionalProperty] : undefined;
}

/** The answer to a megabyte of nonsense is not another megabyte. */
function brief(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MOST_VALUE_CHARACTERS);
  if (jsonRoom(value, MOST_VALUE_CHARACTERS) < 0) return null;
  return value === undefined ? null : value;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
