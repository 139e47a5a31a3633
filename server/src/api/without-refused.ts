import { indexLocation, keyLocation } from "../platform/json/json-location.ts";

type SchemaIssue = { keyword: string; instancePath: string; params: Record<string, unknown> };
export type BodyValidator = { (body: unknown): boolean; errors?: SchemaIssue[] | null };
type Holder = Record<string, unknown>;

/**
 * What is left of a body when all that its schema refuses is taken out, and the places of that. A value of a list takes
 * the list with it, since the others would change their places; an object that lacks a field goes as a whole, except
 * for the body itself. Undefined: nothing can be told of it.
 */
export function withoutRefused(
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
      const location = takeOut(left, path);
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

/** Answers the place of what was taken out; undefined when another issue took it already. */
function takeOut(body: Holder, path: readonly string[]): string | undefined {
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
