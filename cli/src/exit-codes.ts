/** Exit codes of the command. docs/reference/cli.md is generated from this table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  failure: { code: 1, meaning: "the service failed or cannot be reached, or a check or an item failed" },
  changes: {
    code: 2,
    meaning:
      "`migrate status` and `migrate up --dry-run`: migrations are pending; `env diff` and `env push --dry-run`: variables differ; `jobs diff` and `runs diff`: the two differ; `plan` and `apply` with `--detailed-exitcode`: something differs",
  },
  auth: { code: 3, meaning: "not authenticated, or not permitted (401, 403)" },
  not_found: { code: 4, meaning: "not found (404)" },
  usage: { code: 5, meaning: "invalid command, option or input (400, 413, 422)" },
  conflict: { code: 6, meaning: "conflict with the object's state (409)" },
  limited: { code: 7, meaning: "rate limit, quota or budget exceeded (402, 429)" },
  run_failed: { code: 8, meaning: "`--wait`, `--follow`, `watch`, `logs -f`: the run failed" },
  run_stopped: { code: 9, meaning: "`--wait`, `--follow`, `watch`, `logs -f`: the run was canceled or timed out" },
  interrupted: { code: 130, meaning: "Ctrl-C" },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** For the final status of a run, workflow run or event trigger. */
export function exitOfStatus(status: string): ExitName {
  if (status === "failed") return "run_failed";
  return status === "canceled" || status === "timed_out" ? "run_stopped" : "ok";
}

/** For an HTTP status other than 2xx. */
export function exitOfHttpStatus(status: number): ExitName {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 409) return "conflict";
  if (status === 402 || status === 429) return "limited";
  return status < 500 ? "usage" : "failure";
}
