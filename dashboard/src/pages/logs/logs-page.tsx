import type { RunLog } from "@millrace/contract/runs/run-records";
import { ScrollText } from "lucide-react";
import { useMemo, useState } from "react";
import { withQuery } from "../../api/call.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { downloadText } from "../../parts/code/download.ts";
import { SearchField } from "../../parts/filter/search-field.tsx";
import { boundsOf, TimeRange } from "../../parts/filter/time-range.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf } from "../code-of.ts";
import { WholeLine } from "../shared-runs/log-line.tsx";
import { SavedViews } from "../shared-views/saved-views.tsx";
import { useJobs } from "../use-jobs.ts";
import { logColumns } from "./log-columns.tsx";
import { LogHistogram } from "./log-histogram.tsx";
import { logQueryIssue, readLogQuery } from "./read-log-query.ts";
import { RunLink } from "./run-link.tsx";
import { useLogTail } from "./use-log-tail.ts";

const LEVELS = [
  { id: "debug", label: "All" },
  { id: "info", label: "Info +" },
  { id: "warn", label: "Warn +" },
  { id: "error", label: "Errors" },
];
const SHOWN = ["q", "level", "since"];

/** Log lines of all runs: searched, or followed as they are written. */
export default function LogsPage() {
  const [{ q = "", level = "debug", since }, change] = useSearchParams();
  const [isTailing, setTailing] = useState(false);
  const { environmentFilter: environment_id } = usePlace();
  const query = useMemo(
    () => ({ ...queryOf(q, level, since), ...(environment_id && { environment_id }) }),
    [q, level, since, environment_id],
  );
  const issue = logQueryIssue(q);
  const list = useApiList<RunLog>("/v1/logs", { limit: 100, ...query });
  const jobs = useJobs();
  const columns = useMemo(() => logColumns((id) => jobs?.get(id)?.name ?? id.slice(0, 8)), [jobs]);
  const { peek, peeked, toggle, close } = usePeek(list.rows);
  useLogTail(isTailing);
  const tail = () => setTailing(!isTailing);
  const { rows } = list;
  useCommands([{ label: isTailing ? "Stop following logs" : "Follow logs", run: tail }]);
  return (
    <ListPage
      title="Logs"
      label="Logs"
      actions={
        <>
          <SavedViews resource="logs" names={SHOWN} />
          <Button onClick={tail} aria-pressed={isTailing}>
            {isTailing ? "Following" : "Follow"}
          </Button>
          <Button
            disabledReason={rows ? undefined : "Still loading."}
            onClick={() =>
              rows && downloadText("logs.ndjson", rows.map((each) => `${JSON.stringify(each)}\n`).join(""))
            }
          >
            Download
          </Button>
          <AsCode about="Logs" code={codeOf({ method: "GET", path: withQuery("/v1/logs", query) })} />
        </>
      }
      figures={<LogHistogram rows={rows} />}
      toolbar={
        <div className="flex w-full flex-wrap items-center gap-2">
          <Segments
            label="Level"
            value={level}
            options={LEVELS}
            onChange={(id) => change({ level: id === "debug" ? undefined : id }, { replace: true })}
          />
          <SearchField
            label="Search logs"
            placeholder="connection reset job:send-mail run:0198… level:error"
            isWide
            value={q}
            mono
            onChange={(text) => change({ q: text }, { replace: true })}
          />
          <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
          {issue && (
            <p role="alert" className="basis-full text-failed-ink text-xs">
              {issue}
            </p>
          )}
        </div>
      }
      list={list}
      columns={columns}
      current={peek}
      onPeek={toggle}
      onOpen={toggle}
      empty={q || since || level !== "debug" ? <NoMatch /> : <NoLogs />}
    >
      <Inspector open={peeked !== undefined} onClose={close} label="Log line" title="Log line">
        {peeked && (
          <div className="flex flex-col gap-3 p-4">
            <RunLink line={peeked} name={jobs?.get(peeked.job_id)?.name} />
            <WholeLine line={peeked} onClose={close} />
          </div>
        )}
      </Inspector>
    </ListPage>
  );
}

function NoMatch() {
  return (
    <EmptyState icon={<ScrollText size={20} />} title="No matching lines">
      Select a lower level, a longer time, or change the search.
    </EmptyState>
  );
}

function NoLogs() {
  return (
    <EmptyState
      icon={<ScrollText size={20} />}
      title="No logs yet"
      code={<CodeBlock code={'ctx.log.info("Sent", { to: "ada@example.com" });'} />}
    >
      Log lines of all runs appear here as jobs write them.
    </EmptyState>
  );
}

/** A level in the search text overrides the level chosen by button. */
function queryOf(q: string, level: string, since: string | undefined) {
  const bounds = since ? boundsOf(since) : undefined;
  return {
    ...(level !== "debug" && { min_level: level }),
    ...readLogQuery(q),
    ...(bounds && { from: bounds.from.toISOString() }),
    ...(bounds && since?.includes("~") && { to: bounds.to.toISOString() }),
  };
}
