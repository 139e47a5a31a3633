import type { Job } from "@millrace/contract/jobs";
import { redactValues } from "../../platform/audit/redact.ts";
import type { ProjectCtx } from "../../platform/context.ts";

type Headers = Record<string, string>;

export function encryptHeaders(ctx: ProjectCtx, version_id: string, headers: Headers): Promise<Buffer> {
  return ctx.encryption.encryptText(ctx.db, ctx.project_id, placeOf(ctx, version_id), JSON.stringify(headers));
}

export async function decryptHeaders(ctx: ProjectCtx, version_id: string, encrypted: Buffer): Promise<Headers> {
  return JSON.parse(
    await ctx.encryption.decryptText(ctx.db, ctx.project_id, placeOf(ctx, version_id), encrypted),
  ) as Headers;
}

/** For the audit log: the names of the headers, not their values. */
export function redactJob(job: Job): Job {
  return { ...job, headers: redactValues(job.headers) };
}

function placeOf(ctx: ProjectCtx, version_id: string): string {
  return `${ctx.project_id}/${version_id}/headers`;
}
