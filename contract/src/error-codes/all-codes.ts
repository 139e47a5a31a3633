import { CALLER_CODES } from "./callers.ts";
import { CATALOG_CODES } from "./catalog.ts";
import type { ErrorCodeEntry } from "./entry.ts";
import { EVENT_CODES } from "./events.ts";
import { REQUEST_CODES } from "./requests.ts";
import { RUN_CODES } from "./runs.ts";
import { SERVICE_CODES } from "./service.ts";
import { WORKFLOW_CODES } from "./workflows.ts";

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
