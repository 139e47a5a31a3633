import type { Run } from "@millrace/contract/runs/runs";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { LiveSwitch } from "../../live/live-switch.tsx";
import { AsCode } from "../../parts/code/as-code.tsx";
import { useShortcut } from "../../parts/overlay/use-shortcut.ts";
import { ListPage } from "../../parts/table/list-page.tsx";
import { pickColumns } from "../../parts/table/table-columns.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place/place.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { SavedViews } from "../shared-views/saved-views.tsx";
import { useDownHosts } from "../shared-waits/use-down-hosts.ts";
import { useRunWaits } from "../shared-waits/use-waits.ts";
import { useJobs } from "../use-jobs.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { DownEndpoints } from "./down-endpoints.tsx";
import { codeOfList } from "./run-code.ts";
import { runColumns } from "./run-columns.tsx";
import { RUN_PRESETS } from "./run-presets.ts";
import { RunsEmpty } from "./runs-empty.tsx";
import { RunsInspector } from "./runs-inspector.tsx";
import { RunsToolbar } from "./runs-toolbar.tsx";
import { useRunSelection } from "./use-run-selection.ts";
import { useRunFilter, useRuns } from "./use-runs.ts";

const VIEW = ["q", "since", "cols"];

/** Run search. The URL keeps the filter, the columns and the selected run. */
export default function RunsPage() {
  const [{ q = "", since, cols }, changeSearch] = useSearchParams();
  const [isPaused, setPaused] = useState(false);
  const { history } = useRouter();
  const chosen = useRunSelection();
  const filter = useRunFilter(q, since);
  const list = useRuns(filter, isPaused || chosen.selection.size > 0);
  const { peek, peeked, toggle, close } = usePeek(list.rows, "/v1/runs");
  const { columns, href } = useColumns(list.rows);
  const shown = useMemo(() => pickColumns(columns, cols), [columns, cols]);
  const change = (changes: Record<string, string | undefined>) => {
    chosen.clear();
    list.clearNew();
    changeSearch(changes);
  };
  useShortcut(".", () => setPaused(!isPaused));
  useCommands(
    RUN_PRESETS.map(({ label, q: query }) => ({
      label: `Runs: ${label.toLowerCase()}`,
      run: () => change({ q: query }),
    })),
  );
  return (
    <ListPage
      title="Runs"
      label="Runs"
      actions={
        <>
          <LiveSwitch isPaused={isPaused} onPause={setPaused} />
          <SavedViews resource="runs" names={VIEW} />
          <AsCode code={codeOfList(filter)} about="Runs" />
        </>
      }
      figures={<DownEndpoints />}
      toolbar={<RunsToolbar columns={columns} rows={list.rows} onChange={change} />}
      list={list}
      columns={shown}
      selection={chosen.selection}
      onSelect={chosen.select}
      current={peek}
      onPeek={toggle}
      onOpen={(run) => history.push(href(run))}
      empty={<RunsEmpty q={q} since={since} onChange={(query, range) => change({ q: query, since: range })} />}
      footer={<BulkBar rows={list.rows ?? []} chosen={chosen} hasMore={list.hasNextPage} filter={filter} />}
    >
      <RunsInspector run={peeked} href={href} onClose={close} onQuery={(query) => change({ q: query })} />
    </ListPage>
  );
}

const NONE: readonly Run[] = [];

function useColumns(rows = NONE) {
  const { at } = usePlace();
  const waits = useRunWaits(rows);
  const downHosts = useDownHosts();
  const jobs = useJobs();
  const href = useCallback((run: Run) => at(`runs/${run.id}`), [at]);
  const columns = useMemo(() => runColumns({ jobs, waits, downHosts, href }), [jobs, waits, downHosts, href]);
  return { columns, href };
}
