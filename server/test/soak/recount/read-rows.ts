import { createHash } from "node:crypto";
import pg from "pg";
import { whenFileEnds } from "../../world/end-of-file.ts";
import type { Project } from "../differential/project.ts";

const CONNECTIONS = 6;
/** Planning a recount takes ten times as long as its execution, so each connection keeps one plan for all projects. */
const options = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off";
const pools = new Map<string, pg.Pool>();

/** Rows of the project's database, read past the service. `$1` is the project. */
export function readRows<T extends pg.QueryResultRow>(
  { build, id }: Project,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  return readRowsOf(build.connection, statement, [id, ...values]);
}

export async function readRowsOf<T extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  statement: string | pg.QueryConfig,
  values: unknown[] = [],
): Promise<T[]> {
  const key = JSON.stringify(connection);
  const pool = pools.get(key) ?? new pg.Pool({ ...connection, options, max: CONNECTIONS });
  if (!pools.has(key)) {
    pools.set(key, pool);
    pool.on("error", () => {});
    whenFileEnds(() => pool.end());
  }
  if (typeof statement !== "string") return (await pool.query<T>(statement)).rows;
  const name = createHash("sha256").update(statement).digest("hex").slice(0, 32);
  return (await pool.query<T>({ name, text: statement, values })).rows;
}
