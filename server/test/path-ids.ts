import type { RouteRow } from "../src/platform/route.ts";
import { runSql, type TestConnection } from "./database.ts";

export function paramsOf(row: RouteRow): string[] {
  return [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** Real ids for the row's path, of objects in this project. Fails for a path it does not know how to fill. */
export async function idsIn(
  connection: TestConnection,
  project: { id: string },
  row: RouteRow,
): Promise<Record<string, string>> {
  const found_by = row.auth.kind === "project" ? row.auth.found_by : undefined;
  const ids = await Promise.all(
    paramsOf(row).map(async (param) => {
      if (param === "projectID") return [param, project.id];
      if (param !== found_by?.param) throw new Error(`${row.path}: say here where a {${param}} comes from`);
      const statement = `select id from ${found_by.table} where project_id = $1 order by id limit 1`;
      const [found] = await runSql<{ id: string }>(connection, statement, [project.id]);
      if (!found) throw new Error(`${row.path}: a new project has nothing in ${found_by.table}; create it here`);
      return [param, found.id];
    }),
  );
  return Object.fromEntries(ids);
}
