import type pg from "pg";

/** What comes less often is not worth a plan that stays. */
const OFTEN = 3;

const counts = new Map<string, number>();
const names = new Map<string, string>();

/**
 * Lets a session of the tests keep the plan of each statement that this worker has sent before, as the service does with
 * those of its hot path: planning took a quarter of what PostgreSQL computed in a run of the tests.
 */
export function keepPlans(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((text: unknown, ...rest: unknown[]) => {
    const [values, ...others] = rest;
    const name = typeof text === "string" && Array.isArray(values) ? nameOf(text) : undefined;
    return name === undefined ? query(text, ...rest) : query({ name, text, values }, ...others);
  }) as typeof client.query;
}

function nameOf(text: string): string | undefined {
  const count = (counts.get(text) ?? 0) + 1;
  counts.set(text, count);
  if (count < OFTEN || !/^\s*(with|select|insert|update|delete)\b/.test(text)) return undefined;
  const name = names.get(text) ?? `test_${names.size}`;
  names.set(text, name);
  return name;
}
