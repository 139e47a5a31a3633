/**
 * What docs/errors/<code>.md says of a code, and the status it is answered with. `status_for_run`: the one for a job that
 * asks about its own run, where that differs.
 */
export type ErrorCodeEntry = {
  status: number;
  status_for_run?: number;
  title: string;
  meaning: string;
  remedy: string;
};
