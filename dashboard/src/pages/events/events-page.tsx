import type { EventStats } from "@millrace/contract/events/events";
import { ChartNoAxesColumn, Send, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { type Query, withQuery } from "../../api/call.ts";
import { useDisabledReason } from "../../api/me.ts";
import { useApi } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { SearchField } from "../../parts/filter/search-field.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { formatShort } from "../../parts/format.ts";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { NARROW, useMedia } from "../../parts/use-media.ts";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf } from "../code-of.ts";
import { EventCharts } from "./event-charts.tsx";
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

/** Open and finished waits for events. */
export default function EventsPage() {
  const [{ status = "waiting", key = "", source = "", charts }] = useSearchParams();
  const isNarrow = useMedia(NARROW);
  const [openDialog, setOpenDialog] = useState<DialogName>();
  const { at } = usePlace();
  const { list, query } = useEvents({ status, key, source });
  const { peek, peeked, toggle, close } = usePeek(list.rows);
  const columns = useMemo(() => eventColumns(status, at), [status, at]);
  return (
    <ListPage
      title="Events"
      label="Events"
      actions={<Actions query={query} onOpenDialog={setOpenDialog} />}
      figures={charts === "off" || isNarrow ? undefined : <EventCharts />}
      toolbar={<Toolbar />}
      list={list}
      columns={columns}
      current={peek}
      onPeek={toggle}
      empty={<EventsEmpty status={status} isFiltered={key !== "" || source !== ""} />}
    >
      <Inspector open={peeked !== undefined} onClose={close} label="Event" title={peeked?.event_key ?? "Event"}>
        {peeked && <EventPeek trigger={peeked} />}
      </Inspector>
      {openDialog === "send" && <SendDialog onClose={() => setOpenDialog(undefined)} />}
      {openDialog === "purge" && <PurgeEvents onClose={() => setOpenDialog(undefined)} />}
    </ListPage>
  );
}

type DialogName = "send" | "purge";

function Actions({ query, onOpenDialog }: { query: Query; onOpenDialog: (openDialog: DialogName) => void }) {
  const [{ charts }, change] = useSearchParams();
  const { data: stats } = useApi<EventStats>("/v1/events/stats"); // the quota is that of the project;
  const noSend = useDisabledReason("events:send");
  const noWrite = useDisabledReason("events:write");
  useCommands([{ label: "Send event", run: () => noSend ?? onOpenDialog("send") }]);
  return (
    <>
      <Quota waiting={stats?.waiting} />
      <AsCode
        about="Events"
        code={codeOf(
          { method: "GET", path: withQuery("/v1/events", query) },
          { cli: `millrace events list --status ${query.status}${query.sort ? ` --sort ${query.sort}` : ""}` },
        )}
      />
      <IconButton
        label={charts === "off" ? "Show charts" : "Hide charts"}
        icon={<ChartNoAxesColumn size={15} />}
        pressed={charts !== "off"}
        className="max-sm:hidden"
        onClick={() => change({ charts: charts === "off" ? undefined : "off" }, { replace: true })}
      />
      <IconButton
        label="Purge finished waits"
        disabledReason={noWrite}
        icon={<Trash2 size={15} />}
        onClick={() => onOpenDialog("purge")}
      />
      <Button kind="primary" icon={<Send size={14} />} disabledReason={noSend} onClick={() => onOpenDialog("send")}>
        Send event
      </Button>
    </>
  );
}

function Toolbar() {
  const [{ status = "waiting", key = "", source = "" }, change] = useSearchParams();
  const { data: stats } = useApi<EventStats>("/v1/events/stats", { environment_id: usePlace().environmentFilter });
  return (
    <>
      <Segments<Status>
        label="Status"
        value={status as Status}
        options={STATUSES.map((id) => ({ id, label: <Counted name={NAMES[id]} count={stats?.[id]} /> }))}
        onChange={(id) => change({ status: id, peek: undefined })}
      />
      <SearchField label="Key prefix" value={key} onChange={(text) => change({ key: text }, { replace: true })} mono />
      <div className="w-full sm:w-48">
        <select
          aria-label="Waiter"
          className="field"
          value={source}
          onChange={(event) => change({ source: event.target.value })}
        >
          <option value="">Runs and steps</option>
          <option value="job_run">Runs</option>
          <option value="workflow_step">Workflow steps</option>
        </select>
      </div>
    </>
  );
}

/** Reserves the width of the count until it is known, so the layout does not shift. */
function Counted({ name, count }: { name: string; count: number | undefined }) {
  return (
    <span>
      {name} <span className="text-ink-3">{count === undefined ? "\u2007" : formatShort(count)}</span>
    </span>
  );
}
