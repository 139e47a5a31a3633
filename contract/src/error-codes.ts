import { CALLER_CODES } from "./error-codes/callers.ts";
import { CATALOG_CODES } from "./error-codes/catalog.ts";
import type { ErrorCodeEntry } from "./error-codes/entry.ts";
import { EVENT_CODES } from "./error-codes/events.ts";
import { REQUEST_CODES } from "./error-codes/requests.ts";
import { RUN_CODES } from "./error-codes/runs.ts";
import { SERVICE_CODES } from "./error-codes/service.ts";
import { WORKFLOW_CODES } from "./error-codes/workflows.ts";

/** Every error code of the service. Each code is defined in exactly one of these groups. */
export const ERROR_CODES = {
  ...REQUEST_CODES,
  ...CALLER_CODES,
  ...RUN_CODES,
  ...WORKFLOW_CODES,
  ...EVENT_CODES,
  ...CATALOG_CODES,
  ...SERVICE_CODES,
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** `isForRun`: the response goes to a job that reports on its own run. */
export function statusOf(code: ErrorCode, isForRun = false): number {
  const { status, status_for_run }: ErrorCodeEntry = ERROR_CODES[code];
  return (isForRun && status_for_run) || status;
}
