import { MillraceError } from "../errors.ts";

const PATH = Symbol("path");

/**
 * A reference to a value that exists only at run time. Reading a field extends its path, and converting it to a
 * string prints the template, `{{payload.order.id}}`. It has the type of the value, so the compiler checks field
 * access.
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

/** Replaces every reference in a value with its template, and omits undefined fields. */
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
    `{{${path}}} is a value that is known only when the workflow runs: you can pass it on and include it in text, ` +
      "but not compute with it, call it, spread it or loop over it. Compute in a job, or use a map step for lists.",
  );
}
