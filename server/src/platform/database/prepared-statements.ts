import { createHash } from "node:crypto";
import type pg from "pg";

/** A statement with this prefix is planned once per connection instead of at every call. */
const MARK = "/* prepared */";

const names = new Map<string, string>();

/**
 * Lets a connection keep the plans of marked statements: those of the hot path are long, and planning them cost more
 * than running them for a few rows. Not behind a pooler, which may route the next call to another connection. Only for
 * statements whose text never varies, and with `enable_seqscan = off`: a plan made while a table was empty must still
 * be good when it holds a million rows.
 */
export function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((text: unknown, ...rest: unknown[]) => {
    if (typeof text !== "string" || !text.startsWith(MARK, text.search(/\S/))) return query(text, ...rest);
    const [values, ...others] = rest;
    return query({ name: nameOf(text), text, values }, ...others);
  }) as typeof client.query;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `kept_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
  names.set(text, name);
  return name;
}
