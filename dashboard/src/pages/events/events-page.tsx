import type { EventStats, EventTrigger } from "@millrace/contract/events";
import { Search, Send, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { withQuery } from "../../api/call.ts";
import { useRefusal } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { AsCode } from "../../parts/as-code.tsx";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatShort } from "../../parts/format.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { Inspector } from "../../parts/inspector.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { eventColumns } from "./event-columns.tsx";
import { EventPeek } from "./event-peek.tsx";
import { EventsEmpty } from "./events-empty.tsx";
import { PurgeEvents } from "./purge-events.tsx";
import { Quota } from "./quota.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { useEvents } from "./use-events.ts";

const STATUSES = ["waiting", "received", "timed_out", "canceled"] as const;
const NAMES = { waiting: "Waiting", received: "Received", timed_out: "Timed out", canceled: "Canceled" };
type Status = (typeof STATUSES)[number];

/** Who waits for what, until when; and what came. */
export default function EventsPage() {
  const [{ status = "waiting", key = "", source = "", peek }, change] = useSearchParams();
  const [asked, setAsked] = useState<"send" | "purge">();
  const { at } = usePlace();
  const stats = useApi<EventStats>("/v1/events/stats");
  const { list, rows, query } = useEvents({ status, key, source });
  const noSend = useRefusal("events:send");
  const noWrite = useRefusal("events:write");
  const columns = useMemo(() => eventColumns(status, at), [status, at]);
  const looked = rows?.find(({ id }) => id === peek);
  const look = (id: string | undefined) => change({ peek: id }, { replace: true });
  useCommands([{ label: "Send an event", run: () => noSend ?? setAsked("send") }]);
  const { error } = list;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PageHeader
          title="Events"
          actions={
            <>
              <Quota waiting={stats.data?.waiting} />
              <AsCode
                about="These events"
                code={codeOf(
                  { method: "GET", path: withQuery("/v1/events", query) },
                  { cli: `millrace events list --status ${status}` },
                )}
              />
              <IconButton
                label="Purge what has ended"
                refusal={noWrite}
                icon={<Trash2 size={15} />}
                onClick={() => setAsked("purge")}
              />
              <Button kind="primary" icon={<Send size={14} />} refusal={noSend} onClick={() => setAsked("send")}>
                Send event
              </Button>
            </>
          }
        >
          <div className="flex flex-wrap items-center gap-2 pb-3">
            <div className="flex min-w-0 max-w-full overflow-x-auto">
              <Segments<Status>
                label="Status"
                value={status as Status}
                options={STATUSES.map((id) => ({ id, label: <Counted name={NAMES[id]} count={stats.data?.[id]} /> }))}
                onChange={(id) => change({ status: id, peek: undefined })}
              />
            </div>
            <div className="relative min-w-40 max-w-96 flex-1">
              <Search size={14} className="absolute top-[9px] left-2.5 text-ink-3" aria-hidden="true" />
              <input
                type="search"
                aria-label="Key begins with"
                placeholder="Key begins with"
                value={key}
                onChange={(event) => change({ key: event.target.value }, { replace: true })}
                className="field w-full pl-8 font-mono"
              />
            </div>
            <div className="w-full sm:w-48">
              <select
                aria-label="What waits"
                className="field"
                value={source}
                onChange={(event) => change({ source: event.target.value })}
              >
                <option value="">Runs and steps</option>
                <option value="job_run">Runs of jobs</option>
                <option value="workflow_step">Steps of workflows</option>
              </select>
            </div>
          </div>
        </PageHeader>
        {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
        <div className="flex min-h-0 flex-1 flex-col border-t">
          {error && !rows ? (
            <ErrorState error={error} onRetry={() => void list.refetch()} />
          ) : (
            <Table
              label="Events"
              rows={rows}
              rowKey={keyOf}
              columns={columns}
              current={peek}
              onPeek={(trigger) => look(trigger.id === peek ? undefined : trigger.id)}
              onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
              isLoadingMore={list.isFetchingNextPage}
              empty={<EventsEmpty status={status} isFiltered={key !== "" || source !== ""} />}
            />
          )}
        </div>
      </div>
      <Inspector
        open={looked !== undefined}
        onClose={() => look(undefined)}
        label="Event"
        title={looked?.event_key ?? "Event"}
      >
        {looked && <EventPeek trigger={looked} />}
      </Inspector>
      {asked === "send" && <SendDialog onClose={() => setAsked(undefined)} />}
      {asked === "purge" && <PurgeEvents onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function keyOf({ id }: EventTrigger): string {
  return id;
}

function Counted({ name, count }: { name: string; count: number | undefined }) {
  return (
    <span>
      {name} {count !== undefined && <span className="text-ink-3">{formatShort(count)}</span>}
    </span>
  );
}
