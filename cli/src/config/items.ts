import { type Body, KEY, type Kind, REQUIRED } from "./kinds.ts";
import { normalSteps } from "./steps.ts";

/** An object of a configuration or of the service, with every field of its kind. */
export type Item = { kind: Kind; key: string; body: Body };

/** An object of the service. Standard ones cannot be deleted. */
export type RemoteItem = Item & { id: string; isStandard: boolean };

/** All fields of the kind, with defaults, in one order. */
export function normalBody(kind: Kind, key: string, given: Body): Body {
  const fields = Object.entries(defaultsOf(kind, given)).map(([field, otherwise]) => {
    const value = given[field] ?? (otherwise === REQUIRED ? undefined : otherwise === KEY ? key : otherwise);
    return [field, normalValue(kind, field, value)];
  });
  return Object.fromEntries(fields) as Body;
}

function defaultsOf({ fields, defaultsBy }: Kind, given: Body): Body {
  if (!defaultsBy) return fields;
  const { field, values } = defaultsBy;
  return { ...fields, ...values[String(given[field] ?? fields[field])] };
}

function normalValue(kind: Kind, field: string, value: unknown): unknown {
  if (field === "steps" && Array.isArray(value)) return normalSteps(value);
  if (field === "tags" && Array.isArray(value)) return Object.fromEntries(value.map((tag) => [tag, "true"]));
  if (field === "dependencies" && Array.isArray(value)) return value.map(normalDependency);
  if (kind.sets?.includes(field) && Array.isArray(value)) return [...value].sort(byText);
  return value;
}

function normalDependency({ job_id, condition = "completed" }: Body): Body {
  return { job_id, condition };
}

function byText(a: unknown, b: unknown): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;
}

/** The fields that differ from their default: what a person would write. */
export function writtenBody({ kind, key, body }: Item): Body {
  const deciding = kind.defaultsBy?.field ?? "";
  const bare: Body = { ...normalBody(kind, key, { [deciding]: body[deciding] }), [deciding]: kind.fields[deciding] };
  return Object.fromEntries(Object.entries(body).filter(([field, value]) => !isSame(value, bare[field])));
}

/** Equal as JSON: the order of the fields of an object does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted((value as Body)[name])]),
  );
}

/** Equal keys get a number, in the order of the list: an object without a name can exist several times. */
export function numberKeys<T extends { key: string }>(items: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const nth = (seen.get(item.key) ?? 0) + 1;
    seen.set(item.key, nth);
    return nth === 1 ? item : { ...item, key: `${item.key} (${nth})` };
  });
}

export function idOf({ kind, key }: { kind: Kind; key: string }): string {
  return `${kind.kind} ${key}`;
}
