import type { AuditEvent } from "@millrace/contract/audit-events";
import { ArrowDownUp, Download, ScrollText } from "lucide-react";
import { useMemo } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Inspector } from "../../parts/inspector.tsx";
import { Menu } from "../../parts/menu.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { boundsOf, TimeRange } from "../../parts/time-range.tsx";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { auditColumns } from "./audit-columns.tsx";
import { AuditDetail } from "./audit-detail.tsx";
import { AuditFilter } from "./audit-filter.tsx";
import { ChainStatus } from "./chain-status.tsx";

const PATH = "/v1/audit-events";

/** Who changed what, when and from where; and whether the record is whole. */
export default function AuditLogPage() {
  const [search, change] = useSearchParams();
  const { order, peek, since } = search;
  const { project } = usePlace();
  const filter = useFilter(search);
  const list = useApiList<AuditEvent>(PATH, { ...filter, ...(order === "asc" && { order }) });
  const { rows, error } = list;
  const looked = rows?.find(({ id }) => id === peek);
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  const download = (format: string) =>
    location.assign(withQuery(`${PATH}/export`, { ...filter, format, project_id: project }));
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PageHeader
          title="Audit log"
          actions={
            <>
              <ChainStatus />
              <Menu
                label="Export"
                align="end"
                trigger={<Button icon={<Download size={15} />}>Export</Button>}
                items={[
                  { label: "As NDJSON", onSelect: () => download("ndjson") },
                  { label: "As CSV", onSelect: () => download("csv") },
                ]}
              />
              <AsCode about="These events" code={codeOf({ method: "GET", path: withQuery(PATH, filter) })} />
            </>
          }
        >
          <div className="flex flex-wrap items-center gap-2 pb-3">
            <AuditFilter search={search} onChange={(changes) => change({ ...changes, peek: undefined })} />
            <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
            <Button
              icon={<ArrowDownUp size={14} />}
              onClick={() => change({ order: order === "asc" ? undefined : "asc" })}
            >
              {order === "asc" ? "Oldest first" : "Newest first"}
            </Button>
          </div>
        </PageHeader>
        {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
        <div className="flex min-h-0 flex-1 flex-col border-t">
          {error && !rows ? (
            <ErrorState error={error} onRetry={() => void list.refetch()} />
          ) : (
            <Table
              label="Audit events"
              rows={rows}
              rowKey={keyOf}
              columns={COLUMNS}
              current={peek}
              onPeek={(event) => look(event.id === peek ? undefined : event.id)}
              onOpen={(event) => look(event.id)}
              onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
              isLoadingMore={list.isFetchingNextPage}
              empty={
                <EmptyState
                  icon={<ScrollText size={20} />}
                  title={Object.keys(filter).length > 0 ? "No event fits this filter" : "Nothing was changed yet"}
                >
                  Every change that somebody makes leaves one event here.
                </EmptyState>
              }
            />
          )}
        </div>
      </div>
      <Inspector
        open={looked !== undefined}
        onClose={() => look(undefined)}
        label="Audit event"
        title={looked?.action ?? ""}
      >
        {looked && <AuditDetail event={looked} onOnly={(changes) => change({ ...changes, peek: undefined })} />}
      </Inspector>
    </div>
  );
}

const COLUMNS = auditColumns();

function keyOf({ id }: AuditEvent): string {
  return id;
}

/** What of the address narrows the list and the export. */
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
