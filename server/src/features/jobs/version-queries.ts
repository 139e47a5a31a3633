import type { JobVersion } from "@millrace/contract/jobs";
import { sql } from "kysely";
import type { ProjectCtx } from "../../platform/context.ts";
import { isId } from "../../platform/ids.ts";
import type { Page } from "../../platform/listing/page.ts";

export type VersionRow = Omit<JobVersion, "headers"> & { headers: Buffer };

const COLUMNS = sql`v.id, v.project_id, v.job_id, v.version, v.endpoint_url, v.headers, v.timeout_secs,
  v.heartbeat_timeout_secs, v.max_attempts, v.retry_strategy, v.retry_delays_secs, v.default_run_metadata,
  v.payload_schema, v.result_schema, v.max_cost_microusd, v.on_failure_job_id, v.created_by, v.created_by_id, v.created_at`;

/** Only for a job that the caller may see. */
export async function findVersion(ctx: ProjectCtx, job_id: string, id: string): Promise<VersionRow | undefined> {
  if (!isId(id)) return undefined;
  const { rows } = await sql<VersionRow>`
    select ${COLUMNS} from job_versions v
    where v.project_id = ${ctx.project_id} and v.job_id = ${job_id} and v.id = ${id}`.execute(ctx.db);
  return rows[0];
}

export async function listVersions(ctx: ProjectCtx, job_id: string, page: Page): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select ${COLUMNS} from job_versions v
    where v.project_id = ${ctx.project_id} and v.job_id = ${job_id} ${page.after}
    ${page.orderBy} limit ${page.limit + 1}`.execute(ctx.db);
  return rows;
}
