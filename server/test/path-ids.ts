import type { RouteRow } from "../src/platform/route.ts";
import type { Client } from "./client.ts";
import { runSql, type TestConnection } from "./database.ts";
import { runFor, seedRun } from "./seed-run.ts";
import { seedSchedule } from "./seed-schedule.ts";

export function paramsOf(row: RouteRow): string[] {
  return [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}

/** Real ids for the row's path, of objects in this project. Fails for a path it does not know how to fill. */
export async function idsIn(
  connection: TestConnection,
  project: { id: string; newKey: () => Promise<{ api: Client }> },
  row: RouteRow,
): Promise<Record<string, string>> {
  const found_by = row.auth.kind === "project" ? row.auth.found_by : undefined;
  const ids = await Promise.all(
    paramsOf(row).map(async (param) => {
      if (param === "projectID") return [param, project.id];
      if (row.auth.kind === "run") return [param, await seedRun(connection, project.id, { status: "running" })];
      if (param === "jobID") return [param, (await jobIn(project)).id];
      if (param === "versionID") return [param, (await jobIn(project)).version_id];
      if (param !== found_by?.param) throw new Error(`${row.path}: say here where a {${param}} comes from`);
      if (found_by.table === "schedules") return [param, (await seedSchedule(connection, project.id)).id];
      if (found_by.table === "runs") return [param, await seedRun(connection, project.id, runFor(row.path))];
      const statement = `select id from ${found_by.table} where project_id = $1 order by id limit 1`;
      const [found] = await runSql<{ id: string }>(connection, statement, [project.id]);
      if (!found) throw new Error(`${row.path}: a new project has nothing in ${found_by.table}; create it here`);
      return [param, found.id];
    }),
  );
  return Object.fromEntries(ids);
}

type MadeJob = { id: string; version_id: string };
const made = new WeakMap<object, Promise<MadeJob>>();

/** One job for each project, with times of its own. */
function jobIn(project: { newKey: () => Promise<{ api: Client }> }): Promise<MadeJob> {
  const job = made.get(project) ?? project.newKey().then(createJob);
  made.set(project, job);
  return job;
}

async function createJob({ api }: { api: Client }): Promise<MadeJob> {
  const answer = await api.post("/v1/jobs", { name: "Job", endpoint_url: "https://example.com/", cron: "@daily" });
  if (answer.status !== 201) throw new Error(`no job: ${answer.text}`);
  return answer.body as MadeJob;
}
