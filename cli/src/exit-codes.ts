/** What the command tells the shell. Documented in docs/cli.md, which is made from this table. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "done" },
  failure: { code: 1, meaning: "it did not work: the service failed or cannot be reached, a check or an item failed" },
  changes: { code: 2, meaning: "`migrate status` and `migrate up --dry-run`: there is something to do" },
  auth: { code: 3, meaning: "not signed in, or not allowed (401, 403)" },
  not_found: { code: 4, meaning: "no such object (404)" },
  usage: { code: 5, meaning: "a wrong command, option or input (400, 413, 422)" },
  conflict: { code: 6, meaning: "the object is in another state (409)" },
  limited: { code: 7, meaning: "too many requests, a quota or a budget (402, 429)" },
  run_failed: { code: 8, meaning: "`--wait`, `--follow`, `watch`, `logs -f`: the run failed" },
  run_stopped: { code: 9, meaning: "the same: the run was canceled or timed out" },
  interrupted: { code: 130, meaning: "Ctrl-C" },
} as const;

export type ExitName = keyof typeof EXIT_CODES;

/** Of a run, a workflow run or an event trigger that has ended. */
export function exitOfStatus(status: string): ExitName {
  if (status === "failed") return "run_failed";
  return status === "canceled" || status === "timed_out" ? "run_stopped" : "ok";
}

/** Of an answer of the service that is not 2xx. */
export function exitOfHttpStatus(status: number): ExitName {
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "not_found";
  if (status === 409) return "conflict";
  if (status === 402 || status === 429) return "limited";
  return status < 500 ? "usage" : "failure";
}
