import type { Job, JobVersion, ListJobsQuery } from "@millrace/contract/jobs/jobs";
import { redactValues } from "../../platform/audit/record-audit.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { notFound } from "../../platform/errors/errors.ts";
import { presentPage, readPage } from "../../platform/listing/page.ts";
import { findJob, type JobRow, listJobs as listRows, type VersionRow } from "./queries.ts";

export async function getJob(ctx: ProjectCtx, ref: string): Promise<Job> {
  const row = await findJob(ctx, ref);
  if (!row) throw notFound("job");
  return presentJob(ctx, row);
}

export async function presentJob(ctx: ProjectCtx, row: JobRow): Promise<Job> {
  return { ...row, headers: await decryptHeaders(ctx, row.version_id, row.headers) };
}

export async function presentVersion(ctx: ProjectCtx, row: VersionRow): Promise<JobVersion> {
  return { ...row, headers: await decryptHeaders(ctx, row.id, row.headers) };
}

type Headers = Record<string, string>;

export function encryptHeaders(ctx: ProjectCtx, version_id: string, headers: Headers): Promise<Buffer> {
  return ctx.encryption.encryptText(
    ctx.db,
    ctx.project_id,
    encryptionContextOf(ctx, version_id),
    JSON.stringify(headers),
  );
}

async function decryptHeaders(ctx: ProjectCtx, version_id: string, encrypted: Buffer): Promise<Headers> {
  return JSON.parse(
    await ctx.encryption.decryptText(ctx.db, ctx.project_id, encryptionContextOf(ctx, version_id), encrypted),
  ) as Headers;
}

/** For the audit log: the names of the headers, not their values. */
export function redactJob(job: Job): Job {
  return { ...job, headers: redactValues(job.headers) };
}

function encryptionContextOf(ctx: ProjectCtx, version_id: string): string {
  return `${ctx.project_id}/${version_id}/headers`;
}

export async function listJobs(ctx: ProjectCtx, query: ListJobsQuery) {
  const page = readPage(ctx, "jobs", query, "j");
  const { data, ...rest } = presentPage(ctx, page, await listRows(ctx, page, query));
  return { data: await Promise.all(data.map((row) => presentJob(ctx, row))), ...rest };
}
