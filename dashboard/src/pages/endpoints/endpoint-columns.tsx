import type { Endpoint } from "@millrace/contract/jobs/endpoints";
import { formatDuration } from "../../parts/format.ts";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

const NONE = <span className="text-ink-3">–</span>;

const MARKS: Record<Endpoint["state"], { status: string; label: string }> = {
  up: { status: "ok", label: "Up" },
  unreachable: { status: "unhealthy", label: "Unreachable" },
  recovering: { status: "degraded", label: "Recovering" },
  failing: { status: "unhealthy", label: "Failing" },
  unknown: { status: "pending", label: "Not called yet" },
};

export const endpointColumns: Column<Endpoint>[] = [
  {
    id: "state",
    header: "State",
    width: "140px",
    isFixed: true,
    narrow: "meta",
    cell: ({ state }) => <StatusMark {...MARKS[state]} />,
  },
  {
    id: "host",
    header: "Host",
    width: "minmax(180px, 1fr)",
    isFixed: true,
    narrow: "title",
    cell: ({ host }) => <code className="truncate font-mono text-xs">{host}</code>,
  },
  {
    id: "down",
    header: "Down since",
    width: "130px",
    cell: ({ down_since }) => (down_since === null ? NONE : <Time at={down_since} />),
  },
  {
    id: "probe",
    header: "Next probe",
    width: "110px",
    cell: ({ next_probe_at }) => (next_probe_at === null ? NONE : <Countdown until={next_probe_at} />),
  },
  { id: "waiting", header: "Waiting runs", width: "110px", cell: ({ waiting_runs }) => waiting_runs },
  {
    id: "latency",
    header: "p50 / p95",
    width: "130px",
    hidePriority: 2,
    cell: ({ latency_ms }) =>
      latency_ms === null ? NONE : `${formatDuration(latency_ms.p50)} / ${formatDuration(latency_ms.p95)}`,
  },
  { id: "jobs", header: "Jobs", width: "70px", hidePriority: 3, cell: ({ jobs }) => jobs },
  {
    id: "error",
    header: "Last error",
    width: "minmax(160px, 1.4fr)",
    hidePriority: 1,
    cell: ({ last_error }) =>
      last_error === null ? (
        NONE
      ) : (
        <span className="block truncate text-ink-2" title={last_error}>
          {last_error}
        </span>
      ),
  },
];
