import pg from "pg";
import { whenFileEnds } from "../../world/end-of-file.ts";
import type { Project } from "../differential/project.ts";
import type { Build } from "../differential/start-build.ts";

const CONNECTIONS = 6;
const pools = new Map<string, pg.Pool>();

/** Rows of the project's database, read past the service. `$1` is the project. */
export function readRows<T extends pg.QueryResultRow>(
  { build, id }: Project,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  return readRowsOf(build, statement, [id, ...values]);
}

export async function readRowsOf<T extends pg.QueryResultRow>(
  { connection }: Build,
  statement: string,
  values: unknown[],
): Promise<T[]> {
  const key = JSON.stringify(connection);
  const pool = pools.get(key) ?? new pg.Pool({ ...connection, max: CONNECTIONS });
  if (!pools.has(key)) {
    pools.set(key, pool);
    pool.on("error", () => {});
    whenFileEnds(() => pool.end());
  }
  return (await pool.query<T>(statement, values)).rows;
}
