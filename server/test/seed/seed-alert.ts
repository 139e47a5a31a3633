import { newId } from "../../src/platform/ids.ts";
import type { Client } from "../world/client.ts";
import { runSql, type TestConnection } from "../world/database.ts";

/** Created by a request, because its settings are encrypted. Returns its id. */
export async function seedAlertChannel(project: { newKey: () => Promise<{ api: Client }> }): Promise<string> {
  const { api } = await project.newKey();
  const response = await api.post("/v1/alert-channels", {
    ...{ name: "Nobody", kind: "webhook", url: "http://127.0.0.1:1024/" },
  });
  if (response.status !== 201) throw new Error(`no channel: ${response.text}`);
  return response.body.id;
}

/** A rule that never fires. Returns its id. */
export async function seedAlertRule(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into alert_rules (project_id, id, name, kind, threshold, window_secs, min_runs, for_secs, resolve_after_secs,
       channel_ids, enabled, state_since, created_by, created_at, updated_at)
     values ($1, $2, 'Seeded', 'queue_depth', 1000, 300, 10, 0, 0, '{}', true, clock(), 'seed', clock(), clock())`,
    [project_id, id],
  );
  return id;
}

/** A resolved alert. Returns its id. */
export async function seedAlert(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into alerts (project_id, id, rule_id, rule_name, kind, status, summary, detail, value, threshold, fired_at,
       resolved_at, resolved_because, created_at)
     values ($1, $2, $3, 'Seeded', 'queue_depth', 'resolved', 'Seeded.', '{}', 1001, 1000, clock(), clock(), 'recovered',
       clock())`,
    [project_id, id, newId()],
  );
  return id;
}

/** An open issue of a job that has no row. Returns its id. */
export async function seedErrorIssue(connection: TestConnection, project_id: string): Promise<string> {
  const id = newId();
  await runSql(
    connection,
    `insert into error_groups (project_id, job_id, environment_id, fingerprint, message, run_ids, first_seen_at,
       last_seen_at, id, opened_at)
     select $1, $3, e.id, $4, 'no stock', '{}', clock(), clock(), $2, clock() from environments e
     where e.project_id = $1 and e.slug = 'production'`,
    [project_id, id, newId(), newId()],
  );
  return id;
}
