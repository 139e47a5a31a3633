import { isDeepStrictEqual } from "node:util";
import { isMoving } from "@millrace/contract/schema/schema";
import type { TSchema } from "typebox";
import { ApiError } from "../../platform/errors/errors.ts";
import type { Route } from "../../platform/route.ts";

type Fields = Record<string, unknown>;

/**
 * Makes GET, edit, PUT or PATCH work: removes `$schema` and the read-only fields from a body. Returns the removed
 * fields, to be compared with the current object. `shown`: the route that shows it.
 */
export function takeReadOnly(route: Route, shown: Route | undefined, body: unknown): Fields {
  const taken: Fields = {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) return taken;
  const fields = body as Fields;
  delete fields.$schema;
  const [writable, readable] = [propertiesOf(route.body), propertiesOf(shown?.response)];
  const isComplete = requiredOf(shown?.response).every((name) => name in writable || name in fields);
  for (const name of [...projectName(route, fields), ...Object.keys(readable)]) {
    if (name in writable || !(name in fields)) continue;
    // A read-only counter sent alone is an attempt to set it, and is refused; in a whole object it may have changed
    // since.
    if (!isComplete || !isMoving(readable[name])) taken[name] = fields[name];
    delete fields[name];
  }
  return taken;
}

function requiredOf(schema: TSchema | undefined): string[] {
  return (schema as unknown as { required?: string[] } | undefined)?.required ?? [];
}

/** Any body may name its project, even if it has no such field. */
function projectName({ auth }: Route, { project_id }: Fields): string[] {
  return auth.kind === "project" && typeof project_id === "string" ? ["project_id"] : [];
}

/** Refuses every removed field that differs from the object; all of them when the caller may not read the object. */
export function refuseChanged(taken: Fields, current: Fields | "hidden"): void {
  const message = current === "hidden" ? "is read-only" : "is read-only and differs from the current value";
  const errors = Object.entries(taken)
    .filter(([name, value]) => current === "hidden" || !isDeepStrictEqual(value, current[name]))
    .map(([name, value]) => ({ location: `body.${name}`, message, value }));
  if (errors.length === 0) return;
  const names = errors.map((issue) => issue.location).join(", ");
  const remedy = current === "hidden" ? "Leave it out." : "Leave it out, or read the object again.";
  throw new ApiError("read_only_field", `${names}: read-only. ${remedy}`, { errors });
}

export function propertiesOf(schema: TSchema | undefined): Fields {
  return (schema as unknown as { properties?: Fields } | undefined)?.properties ?? {};
}
