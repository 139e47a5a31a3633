import { MAX_RESULT_BYTES, type SdkCompleteBody, type SdkEnded } from "@millrace/contract/sdk-runs";
import { reportEnd } from "../../flow/runs/settle/report-end.ts";
import type { RunCtx } from "../../platform/context.ts";
import { refuseLarge } from "./refuse-large.ts";

export async function completeRun(ctx: RunCtx, { result }: SdkCompleteBody): Promise<SdkEnded> {
  const result_json = JSON.stringify(result ?? null);
  refuseLarge("body.result", result_json, MAX_RESULT_BYTES);
  return { status: await reportEnd(ctx, { kind: "completed", result_json }) };
}
