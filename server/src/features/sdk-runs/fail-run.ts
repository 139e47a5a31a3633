import type { SdkEnded, SdkFailBody } from "@millrace/contract/sdk-runs";
import { reportEnd } from "../../flow/runs/settle/report-end.ts";
import type { RunCtx } from "../../platform/context.ts";

/** Retried like any failed dispatch, unless the job marks the error as not retryable. */
export async function failRun(ctx: RunCtx, { error, retryable, retry_after_secs }: SdkFailBody): Promise<SdkEnded> {
  const status = await reportEnd(ctx, {
    kind: "failed",
    error: { code: error.code ?? "failed", message: error.message },
    retryable: retryable ?? true,
    ...(typeof retry_after_secs === "number" && { retry_after_secs }),
  });
  return { status };
}
