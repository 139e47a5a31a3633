import type { Job } from "@millrace/contract/jobs/jobs";
import type { Queue } from "@millrace/contract/workers/queues";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Link } from "../../parts/link.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { usePlace } from "../../shell/place/place.ts";

/** Deletes a queue that no job names. Otherwise it lists the jobs to move first. */
export function DeleteQueue({ queue: { name }, onClose }: { queue: Queue; onClose: () => void }) {
  const { rows: jobs, error, hasNextPage } = useApiList<Job>("/v1/jobs", { queue: name });
  const { at } = usePlace();
  const remove = useChange({
    run: (_, send) => send("DELETE", `/v1/queues/${name}`),
    done: `${name} deleted`,
    invalidates: ["/v1/queues"],
  });
  const isUsed = jobs !== undefined && jobs.length > 0;
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={`Delete the queue ${name}?`}
      action="Delete queue"
      disabledReason={isUsed ? "Move its jobs to another queue first." : undefined}
      onConfirm={() => remove.mutateAsync()}
    >
      {error && <ErrorState error={error} as="banner" />}
      {isUsed ? (
        <>
          <p>These jobs still use the queue. Move them to another queue first:</p>
          <ul className="max-h-48 list-disc overflow-y-auto pl-5">
            {jobs.map((job) => (
              <li key={job.id}>
                <Link href={at(`jobs/${job.id}`, { tab: "settings" })} className="text-accent hover:underline">
                  {job.name}
                </Link>
              </li>
            ))}
            {hasNextPage && <li>and more</li>}
          </ul>
        </>
      ) : (
        <p>No job uses it. Its limits are deleted with it. This cannot be undone.</p>
      )}
    </ConfirmDialog>
  );
}
