/**
 * An error code as described in docs/errors/<code>.md. `status_for_run` overrides `status` in responses to a job that
 * reports on its own run.
 */
export type ErrorCodeEntry = {
  status: number;
  status_for_run?: number;
  title: string;
  meaning: string;
  remedy: string;
};
