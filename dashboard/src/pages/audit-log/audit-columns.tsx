import type { AuditEvent } from "@millrace/contract/audit-events";
import { Badge } from "../../parts/badge.tsx";
import { shortId } from "../../parts/id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import type { Column } from "../../parts/table-columns.tsx";
import { Time } from "../../parts/time.tsx";

const NONE = <span className="text-ink-3">–</span>;

export function auditColumns(): Column<AuditEvent>[] {
  return [
    {
      id: "action",
      header: "Action",
      width: "minmax(160px, 1fr)",
      narrow: "title",
      cell: ({ action }) => <span className="font-medium">{action}</span>,
    },
    {
      id: "actor",
      header: "Who",
      width: "minmax(160px, 1fr)",
      narrow: "meta",
      cell: (event) => <Actor event={event} />,
    },
    {
      id: "object",
      header: "Object",
      width: "minmax(180px, 1.2fr)",
      narrow: "meta",
      cell: ({ resource_type, resource_id }) => (
        <span className="flex min-w-0 items-center gap-1.5">
          <span className="text-ink-2">{resource_type.replaceAll("_", " ")}</span>
          <code className="truncate font-mono text-xs" title={resource_id}>
            {shortId(resource_id)}
          </code>
        </span>
      ),
    },
    {
      id: "ip",
      header: "From",
      width: "130px",
      gives: 1,
      cell: ({ ip }) => (ip ? <code className="font-mono text-ink-2 text-xs">{ip}</code> : NONE),
    },
    {
      id: "chain",
      header: "Chain",
      width: "92px",
      align: "end",
      cell: ({ sealed, chain_no }) =>
        sealed ? (
          <span className="font-mono text-ink-2 text-xs">#{chain_no}</span>
        ) : (
          <StatusMark status="pending" label="Soon" />
        ),
    },
    {
      id: "time",
      header: "When",
      width: "92px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}

export function Actor({ event: { actor_kind, actor_name, actor_id } }: { event: AuditEvent }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="truncate">{actor_name ?? (actor_id ? shortId(actor_id) : actor_kind.replaceAll("_", " "))}</span>
      {(actor_name ?? actor_id) && actor_name !== actor_kind.replaceAll("_", " ") && (
        <Badge>{actor_kind.replaceAll("_", " ")}</Badge>
      )}
    </span>
  );
}
