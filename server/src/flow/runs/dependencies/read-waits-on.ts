import { invalid } from "../../../platform/errors/errors.ts";
import type { NewRun } from "../create/new-run.ts";
import type { TriggerableJob } from "../create/triggerable-job.ts";

type Requested = Pick<NewRun, "trigger_type"> & { depends_on_run_ids?: string[] | undefined; at?: string };

/**
 * The dependencies of a new run. Those defined by the job apply only to runs started from outside: steps and spawned
 * runs are ordered by their parent, and might otherwise wait for a run that waits for them. Undefined: none.
 */
export function readWaitsOn(
  job: TriggerableJob,
  { trigger_type, depends_on_run_ids, at }: Requested,
): NewRun["waits_on"] {
  const run_ids = depends_on_run_ids ? [...new Set(depends_on_run_ids)] : [];
  if (run_ids.length > 0 && job.debounce_window_secs !== null) {
    // The trigger may be merged into a run with other dependencies, or none.
    const place = `${at ?? "body"}.depends_on_run_ids`;
    throw invalid(place, "cannot be given for a job with debounce_window_secs: triggers are merged", run_ids);
  }
  const jobs = trigger_type === "workflow" || trigger_type === "spawn" ? [] : job.dependencies;
  return run_ids.length === 0 && jobs.length === 0 ? undefined : { run_ids, jobs };
}
