import type { AuditEvent } from "@millrace/contract/projects/audit-events";
import { cx } from "../../parts/class-names.ts";
import { shortId } from "../../parts/id.tsx";
import { Badge } from "../../parts/state/badge.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import type { Column } from "../../parts/table/table-columns.tsx";
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
      header: "Actor",
      width: "minmax(160px, 1fr)",
      narrow: "meta",
      cell: (event) => <Actor event={event} />,
    },
    {
      id: "object",
      header: "Object",
      width: "minmax(180px, 1.2fr)",
      narrow: "meta",
      cell: (event) => <Acted event={event} />,
    },
    {
      id: "ip",
      header: "IP address",
      width: "130px",
      hidePriority: 1,
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
          <StatusMark status="pending" label="Pending" />
        ),
    },
    {
      id: "time",
      header: "Time",
      width: "92px",
      align: "end",
      narrow: "end",
      cell: ({ created_at }) => <Time at={created_at} className="text-ink-2" />,
    },
  ];
}

function Acted({ event }: { event: AuditEvent }) {
  const name = nameOf(event);
  return (
    <span className="flex min-w-0 items-center gap-1.5" title={event.resource_id}>
      <span className="flex-none text-ink-2">{event.resource_type.replaceAll("_", " ")}</span>
      {name && <span className="truncate">{name}</span>}
      <code className={cx("flex-none font-mono text-xs", name && "text-ink-3")}>{shortId(event.resource_id)}</code>
    </span>
  );
}

/** The name at that time, because an id alone is not readable. */
export function nameOf({ before, after }: Pick<AuditEvent, "before" | "after">): string | undefined {
  const { name, slug } = { ...(before as Named), ...(after as Named) };
  return [name, slug].find((text): text is string => typeof text === "string" && text !== "");
}

type Named = { name?: unknown; slug?: unknown } | null;

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
