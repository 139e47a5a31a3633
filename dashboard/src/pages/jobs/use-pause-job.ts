import type { Job } from "@millrace/contract/jobs/jobs";
import { useChange } from "../../api/use-api.ts";

/** Pauses or resumes a job. */
export function usePauseJob() {
  return useChange<Job, Job>({
    run: (job, send) => send("POST", `/v1/jobs/${job.id}/${job.paused_at ? "resume" : "pause"}`, {}),
    done: (_, job) => (job.paused_at ? `${job.name} resumed` : `${job.name} paused. New runs stay queued.`),
    undo: (job) => ({ ...job, paused_at: job.paused_at ? null : job.updated_at }),
    invalidates: ["/v1/jobs"],
  });
}
