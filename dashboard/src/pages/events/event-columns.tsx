import type { EventTrigger } from "@millrace/contract/events/events";
import { Actor } from "../../parts/actor.tsx";
import { shortId } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { Countdown } from "../../parts/state/countdown.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

type At = (page: string) => string;
const KINDS = { event: "Event", sleep: "Sleep", child: "Child run", approval: "Approval" };

export function eventColumns(status: string, at: At): Column<EventTrigger>[] {
  const ends: Column<EventTrigger> =
    status === "waiting"
      ? {
          id: "left",
          header: "Remaining",
          width: "148px",
          narrow: "meta",
          cell: ({ expires_at, requested_at, status: now }) =>
            now === "waiting" ? <Countdown until={expires_at} from={requested_at} ended="due now" /> : "–",
        }
      : {
          id: "ended",
          header: "Finished",
          width: "92px",
          align: "end",
          narrow: "meta",
          cell: ({ finished_at }) => <Time at={finished_at} />,
        };
  return [
    {
      id: "status",
      header: "Status",
      width: "116px",
      narrow: "meta",
      cell: (trigger) => <StatusMark status={trigger.status} />,
    },
    {
      id: "key",
      header: "Key",
      width: "minmax(200px, 2fr)",
      narrow: "title",
      cell: ({ event_key }) => (
        <code className="font-mono text-xs" title={event_key}>
          {event_key}
        </code>
      ),
    },
    ends,
    {
      id: "kind",
      header: "Type",
      width: "96px",
      hidePriority: 1,
      cell: ({ wait_kind }) => KINDS[wait_kind] ?? wait_kind,
    },
    {
      id: "source",
      header: "Waiting run",
      width: "minmax(140px, 1fr)",
      cell: (trigger) => <Waiter trigger={trigger} at={at} />,
    },
    {
      id: "sent",
      header: "Sent by",
      width: "minmax(96px, 0.7fr)",
      hidePriority: 2,
      cell: ({ sent_by, sent_by_id }) =>
        sent_by === null ? <span className="text-ink-3">–</span> : <Actor name={sent_by} id={sent_by_id} />,
    },
    {
      id: "created",
      header: "Requested",
      width: "84px",
      align: "end",
      narrow: "end",
      cell: ({ requested_at }) => <Time at={requested_at} className="text-ink-2" />,
    },
  ];
}

export function Waiter({ trigger, at }: { trigger: EventTrigger; at: At }) {
  const { job_run_id, workflow_run_id } = trigger;
  const [path, id, word] = job_run_id
    ? ["runs", job_run_id, "Run"]
    : ["workflow-runs", workflow_run_id, "Workflow run"];
  if (!id) return <span className="text-ink-3">–</span>;
  return (
    <Link href={at(`${path}/${id}`)} tabIndex={-1} title={id ?? ""} className="hover:text-accent hover:underline">
      {word} <code className="font-mono text-xs">{shortId(id)}</code>
    </Link>
  );
}
