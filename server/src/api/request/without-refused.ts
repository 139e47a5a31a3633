import { indexLocation, keyLocation } from "../../platform/json/json-location.ts";

type SchemaIssue = { keyword: string; instancePath: string; params: Record<string, unknown> };
export type BodyValidator = { (body: unknown): boolean; errors?: SchemaIssue[] | null };
type Holder = Record<string, unknown>;

/**
 * Returns a body without the values that its schema refuses, and their paths. A refused list item removes the whole
 * list, since the indexes would shift; an object that lacks a field is removed as a whole, except for the body itself.
 * Undefined: nothing is left to validate.
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

/** Returns the path of the removed value; undefined when another issue removed it already. */
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
