import pg from "pg";
import { whenFileEnds } from "../../world/end-of-file.ts";
import type { Project } from "../differential/project.ts";

const CONNECTIONS = 6;
const pools = new Map<string, pg.Pool>();

/** Rows of the project's database, read past the service. `$1` is the project. */
export async function readRows<T extends pg.QueryResultRow>(
  { build, id }: Project,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const key = JSON.stringify(build.connection);
  const pool = pools.get(key) ?? new pg.Pool({ ...build.connection, max: CONNECTIONS });
  if (!pools.has(key)) {
    pools.set(key, pool);
    pool.on("error", () => {});
    whenFileEnds(() => pool.end());
  }
  return (await pool.query<T>(statement, [id, ...values])).rows;
}
