import type { AuditEvent } from "@millrace/contract/projects/audit-events";
import { ArrowDownUp, Download, ScrollText } from "lucide-react";
import { useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { boundsOf, TimeRange } from "../../parts/filter/time-range.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf } from "../code-of.ts";
import { auditColumns } from "./audit-columns.tsx";
import { AuditDetail } from "./audit-detail.tsx";
import { AuditFilter } from "./audit-filter.tsx";
import { ChainStatus } from "./chain-status.tsx";

const PATH = "/v1/audit-events";

/** Who changed what, when and from where, with a check of the hash chain. */
export default function AuditLogPage() {
  const [search, change] = useSearchParams();
  const { order } = search;
  const filter = useFilter(search);
  const list = useApiList<AuditEvent>(PATH, { ...filter, ...(order === "asc" && { order }) });
  const { peek, peeked, look, toggle, close } = usePeek(list.rows);
  const narrow = (changes: Record<string, string | undefined>) => change({ ...changes, peek: undefined });
  return (
    <ListPage
      title="Audit log"
      label="Audit events"
      actions={
        <>
          <ChainStatus />
          <Export filter={filter} />
          <AsCode about="Audit events" code={codeOf({ method: "GET", path: withQuery(PATH, filter) })} />
        </>
      }
      toolbar={
        <>
          <AuditFilter search={search} onChange={narrow} />
          <TimeRange value={search.since} allTime onChange={(range) => change({ since: range })} />
          <Button
            icon={<ArrowDownUp size={14} />}
            onClick={() => change({ order: order === "asc" ? undefined : "asc" })}
          >
            {order === "asc" ? "Oldest first" : "Newest first"}
          </Button>
        </>
      }
      list={list}
      columns={COLUMNS}
      current={peek}
      onPeek={toggle}
      onOpen={look}
      empty={<NoEvents isFiltered={Object.keys(filter).length > 0} />}
    >
      <Inspector open={peeked !== undefined} onClose={close} label="Audit event" title={peeked?.action ?? ""}>
        {peeked && <AuditDetail event={peeked} onOnly={narrow} />}
      </Inspector>
    </ListPage>
  );
}

const COLUMNS = auditColumns();

function Export({ filter }: { filter: Record<string, string> }) {
  const { project } = usePlace();
  const download = (format: string) =>
    location.assign(withQuery(`${PATH}/export`, { ...filter, format, project_id: project }));
  return (
    <Menu
      label="Export"
      align="end"
      trigger={<Button icon={<Download size={15} />}>Export</Button>}
      items={[
        { label: "As NDJSON", onSelect: () => download("ndjson") },
        { label: "As CSV", onSelect: () => download("csv") },
      ]}
    />
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState icon={<ScrollText size={20} />} title={isFiltered ? "No events match this filter" : "No changes yet"}>
      Every change made in this project is recorded here.
    </EmptyState>
  );
}

/** The URL parameters that filter the list and the export. */
function useFilter({
  since,
  actor,
  action,
  resource_type,
  resource_id,
  request_id,
}: Record<string, string | undefined>): Record<string, string> {
  return useMemo(() => {
    const bounds = since ? boundsOf(since) : undefined;
    return {
      ...(actor && { actor }),
      ...(action && { action }),
      ...(resource_type && { resource_type }),
      ...(resource_id && { resource_id }),
      ...(request_id && { request_id }),
      ...(bounds && { from: bounds.from.toISOString() }),
      ...(bounds && since?.includes("~") && { to: bounds.to.toISOString() }),
    };
  }, [since, actor, action, resource_type, resource_id, request_id]);
}
