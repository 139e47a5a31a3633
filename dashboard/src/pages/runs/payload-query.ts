import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { printQuery } from "@millrace/contract/query-language/print";
import type { Run } from "@millrace/contract/runs/runs";
import type { JsonPath } from "../../parts/code/json.tsx";

/** Adds a payload condition to the query. Array items are matched by their array. */
export function withPayload(q: string, path: JsonPath, value: unknown): string {
  const parsed = parseQuery(q);
  const conditions = parsed.ok ? parsed.terms.map(({ condition }) => condition) : [];
  const upTo = path.findIndex((step) => typeof step === "number");
  const names = (upTo === -1 ? path : path.slice(0, upTo)).map(String);
  const expected =
    upTo === -1
      ? value
      : path
          .slice(upTo)
          .reduceRight<unknown>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
  return printQuery([...conditions, { key: "payload", negated: false, path: names, value: expected }]);
}

const SAMPLED = 200;

/** Payload paths seen in the list, for suggestions. */
export function pathsOf(rows: readonly Run[] | undefined): string[] {
  const paths = new Set<string>();
  const walk = (value: unknown, path: string, depth: number) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || depth > 3)
      return void (path && paths.add(path));
    for (const [name, inner] of Object.entries(value))
      if (/^[\w$-]+$/.test(name)) walk(inner, path ? `${path}.${name}` : name, depth + 1);
  };
  for (const { payload } of rows?.slice(0, SAMPLED) ?? []) walk(payload, "", 0);
  return [...paths].sort().slice(0, 50);
}
