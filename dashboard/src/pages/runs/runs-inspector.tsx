import type { Run } from "@millrace/contract/runs/runs";
import { Link } from "../../parts/link.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { useJobs } from "../use-jobs.ts";
import { withPayload } from "./payload-query.ts";
import { RunPeek } from "./run-peek.tsx";

type Props = {
  run: Run | undefined;
  href: (run: Run) => string;
  onClose: () => void;
  onQuery: (q: string) => void;
};

/** Side panel of the selected run. Payload values can be added to the filter. */
export function RunsInspector({ run, href, onClose, onQuery }: Props) {
  const [{ q = "" }] = useSearchParams();
  const jobs = useJobs();
  const job = run && jobs?.get(run.job_id);
  return (
    <Inspector
      open={run !== undefined}
      onClose={onClose}
      label="Run"
      title={job?.name ?? "Run"}
      actions={
        run && (
          <Link href={href(run)} className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover">
            Open
          </Link>
        )
      }
    >
      {run && <RunPeek run={run} job={job} onPick={(path, value) => onQuery(withPayload(q, path, value))} />}
    </Inspector>
  );
}
