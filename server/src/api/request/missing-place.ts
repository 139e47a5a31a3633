import type { ProblemError } from "@millrace/contract/problem";
import type { FastifyRequest } from "fastify";
import type { ApiError } from "../../platform/errors/errors.ts";

type Values = Record<string, unknown>;

/** Where the request names the missing object: in its path, or in a field with a matching name. */
export function missingPlace({ message }: ApiError, request: FastifyRequest): ProblemError[] {
  const what = /^There is no such ([\w ]+?)(?: of the .*)?\.$/.exec(message)?.[1];
  if (what === undefined) return [];
  const params = (request.params ?? {}) as Values;
  const named = Object.keys(params).find((name) => isCalled(what, wordsOf(name)));
  const field = named ? undefined : findField(what, request);
  const last = named ?? Object.keys(params).at(-1);
  if (field) return [{ ...field, message }];
  if (last === undefined) return [];
  // A callback's token is a credential.
  return [{ location: `path.${last}`, message, value: last === "token" ? null : String(params[last]).slice(0, 200) }];
}

function findField(what: string, { query, body, headers }: FastifyRequest): Omit<ProblemError, "message"> | undefined {
  const name = what.replaceAll(" ", "_");
  const fields = [`${name}_id`, name, name.replace(/^event_/, "")];
  for (const [part, values] of Object.entries({ query, body })) {
    const found = fields.find((field) => typeof (values as Values | undefined)?.[field] === "string");
    if (found) return { location: `${part}.${found}`, value: (values as Values)[found] };
  }
  const inHeader = what === "project" ? headers["x-project-id"] : undefined;
  return inHeader === undefined ? undefined : { location: "header.X-Project-Id", value: inHeader };
}

/** `workflowRunID` → `workflow run` */
function wordsOf(param: string): string {
  return param
    .replace(/(ID|Ref)$/, "")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/^env$/, "environment");
}

/** The parameter `drainID` matches a log drain, and `fromVersionID` a version. */
function isCalled(what: string, words: string): boolean {
  return ` ${what.toLowerCase()}`.endsWith(` ${words}`) || ` ${words}`.endsWith(` ${what.toLowerCase()}`);
}
