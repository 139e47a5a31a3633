import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { Job } from "@millrace/contract/jobs/jobs";
import type { Run } from "@millrace/contract/runs/runs";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLiveRows } from "../../live/use-live-rows.ts";
import { hostOf } from "../../parts/host-of.ts";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListTable } from "../../parts/table/list-table.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { TagLine } from "../../parts/tag-list.tsx";
import { Duration, Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { useIsHere } from "../../shell/place/use-places.ts";
import { patchRun } from "../shared-runs/patch-run.ts";
import { RunState } from "../shared-waits/run-state.tsx";
import { useDownHosts } from "../shared-waits/use-down-hosts.ts";
import { useRunWaits, type Waits } from "../shared-waits/use-waits.ts";
import { WaitAction } from "../shared-waits/wait-action.tsx";

/** The newest runs of a job; the Runs page offers search. */
export function RunsTab({ job }: { job: Job }) {
  const { at, environmentFilter } = usePlace();
  const { history } = useRouter();
  const list = useApiList<Run>("/v1/runs", { job_id: job.id, environment_id: environmentFilter });
  const isHere = useIsHere();
  const live = useLiveRows<Run>({
    topics: ["runs"],
    path: "/v1/runs",
    idOf,
    patch: patchRun,
    isNew: useCallback(
      (change: StreamChange) => change.object.job_id === job.id && change.object.from_status === null && isHere(change),
      [job.id, isHere],
    ),
    isPaused: false,
  });
  const waits = useRunWaits(list.rows ?? NONE);
  const downSince = useDownHosts().get(hostOf(job.endpoint_url ?? ""));
  const columns = useMemo(() => columnsOf(waits, downSince), [waits, downSince]);
  return (
    <div className="flex flex-col gap-2">
      <Link href={at("runs", { q: `job:${job.slug}` })} className="self-start text-accent hover:underline">
        Search in Runs
      </Link>
      <div className="card flex max-h-[min(640px,66vh)] flex-col overflow-hidden">
        <ListTable
          label="Runs of this job"
          list={{ ...list, ...live }}
          columns={columns}
          onOpen={(run) => history.push(at(`runs/${run.id}`))}
          empty={
            <EmptyState small title="No runs yet">
              Trigger one on the Test tab.
            </EmptyState>
          }
        />
      </div>
    </div>
  );
}

function idOf({ id }: Run): string {
  return id;
}

const NONE: readonly Run[] = [];

const columnsOf = (waits: Waits, downSince: string | undefined): Column<Run>[] => [
  {
    id: "status",
    header: "Status",
    width: "minmax(124px, 1fr)",
    narrow: "title",
    cell: (run) => <RunState run={run} wait={waits.get(run.id)} downSince={downSince} />,
  },
  {
    id: "action",
    header: "Action",
    width: "112px",
    hidePriority: 3,
    narrow: "end",
    cell: ({ id, status }) => {
      const wait = status === "waiting" ? waits.get(id) : undefined;
      return wait && <WaitAction wait={wait} />;
    },
  },
  { id: "id", header: "Run", width: "140px", narrow: "meta", cell: ({ id }) => <Id value={id} /> },
  {
    id: "tags",
    header: "Tags",
    width: "minmax(120px, 1fr)",
    hidePriority: 1,
    cell: ({ tags }) => <TagLine tags={tags} />,
  },
  { id: "trigger", header: "Trigger", width: "92px", hidePriority: 2, cell: ({ trigger_type }) => trigger_type },
  {
    id: "error",
    header: "Error",
    width: "minmax(160px, 1.4fr)",
    cell: ({ error }) =>
      error ? <span title={error.message}>{error.message}</span> : <span className="text-ink-3">–</span>,
  },
  {
    id: "duration",
    header: "Duration",
    width: "88px",
    align: "end",
    narrow: "meta",
    cell: ({ started_at, finished_at }) => <Duration from={started_at} to={finished_at} />,
  },
  {
    id: "created",
    header: "Created",
    width: "92px",
    align: "end",
    narrow: "end",
    cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
  },
];
