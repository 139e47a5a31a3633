import type { Job, JobVersion } from "@millrace/contract/jobs";
import type { ProjectCtx } from "../../platform/context.ts";
import { decryptHeaders } from "./headers.ts";
import type { JobRow } from "./queries.ts";
import type { VersionRow } from "./version-queries.ts";

export async function presentJob(ctx: ProjectCtx, row: JobRow): Promise<Job> {
  return { ...row, headers: await decryptHeaders(ctx, row.version_id, row.headers) };
}

export async function presentVersion(ctx: ProjectCtx, row: VersionRow): Promise<JobVersion> {
  return { ...row, headers: await decryptHeaders(ctx, row.id, row.headers) };
}
