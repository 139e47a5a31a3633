/**
 * The HTTP status of an error code and the text of its page, docs/errors/<code>.md. `status_for_run` replaces `status` for
 * a job that reports on its own run.
 */
export type ErrorCodeEntry = {
  status: number;
  status_for_run?: number;
  title: string;
  meaning: string;
  remedy: string;
};
