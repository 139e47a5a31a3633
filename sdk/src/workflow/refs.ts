import { MillraceError } from "../errors.ts";

const PATH = Symbol("path");

/**
 * Stands for a value that is there only when a run is: reading a field of it makes a longer path, and writing it out
 * prints the template, `{{payload.order.id}}`. It is typed as the value itself, so the compiler checks what is read.
 */
export function refTo<T>(path: string): T {
  const stand = () => {};
  return new Proxy(stand, {
    get: (_, name) => {
      if (name === PATH) return path;
      if (name === Symbol.toPrimitive) return (hint: string) => (hint === "number" ? refuse(path) : `{{${path}}}`);
      if (name === "toString" || name === "toJSON") return () => `{{${path}}}`;
      if (name === "then") return undefined;
      return typeof name === "symbol" ? refuse(path) : refTo(`${path}.${segmentOf(path, name)}`);
    },
    apply: () => refuse(path),
    ownKeys: () => refuse(path),
    has: () => refuse(path),
  }) as T;
}

/** A value with every reference in it written as its template; undefined fields are left out. */
export function printRefs(value: unknown): unknown {
  const path = pathOf(value);
  if (path !== undefined) return `{{${path}}}`;
  if (Array.isArray(value)) return value.map(printRefs);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, printRefs(field)]));
}

function pathOf(value: unknown): string | undefined {
  return typeof value === "function" ? (value as { [PATH]?: string })[PATH] : undefined;
}

function segmentOf(path: string, name: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(name)) return name;
  throw new MillraceError("bad_template", `${path}: a template cannot read the field ${JSON.stringify(name)}`);
}

function refuse(path: string): never {
  throw new MillraceError(
    "bad_template",
    `{{${path}}} stands for a value that is known only when the workflow runs: it can be passed on and put into text, ` +
      "but not computed with, called, spread or looped over. Compute in a job, or use a map step for lists.",
  );
}
