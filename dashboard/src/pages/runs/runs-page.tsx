import { parseQuery } from "@millrace/contract/query-language";
import { printQuery } from "@millrace/contract/query-language-print";
import type { Run } from "@millrace/contract/runs";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { AsCode } from "../../parts/as-code.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FilterBar } from "../../parts/filter-bar.tsx";
import { Inspector } from "../../parts/inspector.tsx";
import type { JsonPath } from "../../parts/json.tsx";
import { Link } from "../../parts/link.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Table } from "../../parts/table.tsx";
import { ColumnPicker, pickColumns } from "../../parts/table-columns.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { TimeRange } from "../../parts/time-range.tsx";
import { useShortcut } from "../../parts/use-shortcut.ts";
import { useCommands } from "../../shell/commands.ts";
import { usePlace, useSearchParams } from "../../shell/place.ts";
import { useJobs } from "../use-jobs.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { codeOfList } from "./run-code.ts";
import { runColumns } from "./run-columns.tsx";
import { RunPeek } from "./run-peek.tsx";
import { presetOf, RUN_PRESETS } from "./run-presets.ts";
import { RunsEmpty } from "./runs-empty.tsx";
import { LiveSwitch, NewsPill } from "./runs-toolbar.tsx";
import { useRunFilter, useRuns } from "./use-runs.ts";

const NOTHING: ReadonlySet<string> = new Set();

/** Find any run in seconds. The address holds the filter, the columns, and the run that is looked at. */
export default function RunsPage() {
  const [{ q = "", since, cols, peek }, changeSearch] = useSearchParams();
  const [selection, setSelection] = useState(NOTHING);
  const [isAll, setAll] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const { at } = usePlace();
  const { history } = useRouter();
  const jobs = useJobs();
  const filter = useRunFilter(q, since);
  const list = useRuns(filter, isPaused || selection.size > 0);
  const { rows, error, news, showNews } = list;

  const clear = useCallback(() => {
    setSelection(NOTHING);
    setAll(false);
  }, []);
  const change = (changes: Record<string, string | undefined>) => {
    clear();
    list.forgetNews();
    changeSearch(changes);
  };
  const select = (next: ReadonlySet<string>) => {
    setSelection(next);
    setAll(false);
  };
  const look = (id: string | undefined) => changeSearch({ peek: id }, { replace: true });
  const href = useCallback((run: Run) => at(`runs/${run.id}`), [at]);
  const columns = useMemo(() => runColumns(jobs, href), [jobs, href]);
  const looked = rows?.find(({ id }) => id === peek);
  const known = useMemo(
    () => ({ job: [...jobs.values()].map(({ slug }) => slug), payload: pathsOf(rows) }),
    [jobs, rows],
  );
  useShortcut(".", () => setPaused(!isPaused));
  useCommands(
    RUN_PRESETS.map(({ label, q: query }) => ({
      label: `Runs: ${label.toLowerCase()}`,
      run: () => change({ q: query }),
    })),
  );

  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PageHeader
          title="Runs"
          actions={
            <>
              <LiveSwitch isPaused={isPaused} onPause={setPaused} />
              <AsCode code={codeOfList(filter)} about="These runs" />
            </>
          }
        >
          <div className="flex flex-wrap items-start gap-2 pb-3">
            <div className="flex min-w-0 max-w-full overflow-x-auto">
              <Segments
                label="Presets"
                value={presetOf(q)}
                options={RUN_PRESETS.map(({ id, label }) => ({ id: id as string, label }))}
                onChange={(id) => change({ q: RUN_PRESETS.find((preset) => preset.id === id)?.q })}
              />
            </div>
            <div className="flex min-w-0 flex-1 basis-[420px] items-start gap-2 max-sm:basis-full max-sm:flex-wrap">
              <FilterBar value={q} onChange={(query) => change({ q: query })} known={known} />
              <TimeRange value={since} allTime onChange={(range) => change({ since: range })} />
              <span className="max-sm:hidden">
                <ColumnPicker columns={columns} cols={cols} onChange={(picked) => changeSearch({ cols: picked })} />
              </span>
            </div>
          </div>
        </PageHeader>
        {error && rows && <ErrorState error={error} as="banner" onRetry={() => void list.refetch()} />}
        <div className="relative flex min-h-0 flex-1 flex-col border-t">
          <NewsPill count={news} onShow={showNews} />
          {error && !rows ? (
            <ErrorState error={error} onRetry={() => void list.refetch()} />
          ) : (
            <Table
              label="Runs"
              rows={rows}
              rowKey={keyOf}
              columns={pickColumns(columns, cols)}
              selection={selection}
              onSelect={select}
              current={peek}
              onPeek={(run) => look(run.id === peek ? undefined : run.id)}
              onOpen={(run) => history.push(href(run))}
              onReachEnd={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined}
              isLoadingMore={list.isFetchingNextPage}
              empty={<RunsEmpty q={q} since={since} onChange={(query, range) => change({ q: query, since: range })} />}
            />
          )}
        </div>
        {selection.size > 0 && (
          <BulkBar
            rows={rows ?? []}
            selection={selection}
            isAll={isAll}
            hasMore={list.hasNextPage}
            filter={filter}
            onAll={setAll}
            onClear={clear}
          />
        )}
      </div>
      <Inspector
        open={looked !== undefined}
        onClose={() => look(undefined)}
        label="Run"
        title={looked ? (jobs.get(looked.job_id)?.name ?? "Run") : "Run"}
        actions={
          looked && (
            <Link href={href(looked)} className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover">
              Open
            </Link>
          )
        }
      >
        {looked && (
          <RunPeek
            run={looked}
            job={jobs.get(looked.job_id)}
            onPick={(path, value) => change({ q: withPayload(q, path, value) })}
          />
        )}
      </Inspector>
    </div>
  );
}

function keyOf({ id }: Run): string {
  return id;
}

/** The query with one more condition on the payload. Items of lists are asked for by the list that holds them. */
function withPayload(q: string, path: JsonPath, value: unknown): string {
  const parsed = parseQuery(q);
  const conditions = parsed.ok ? parsed.terms.map(({ condition }) => condition) : [];
  const upTo = path.findIndex((step) => typeof step === "number");
  const names = (upTo === -1 ? path : path.slice(0, upTo)).map(String);
  const asked =
    upTo === -1
      ? value
      : path
          .slice(upTo)
          .reduceRight<unknown>((inner, step) => (typeof step === "number" ? [inner] : { [step]: inner }), value);
  return printQuery([...conditions, { key: "payload", negated: false, path: names, value: asked }]);
}

const SAMPLED = 200;

/** Paths that payloads here have, for suggestions. */
function pathsOf(rows: readonly Run[] | undefined): string[] {
  const paths = new Set<string>();
  const walk = (value: unknown, path: string, depth: number) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || depth > 3)
      return void (path && paths.add(path));
    for (const [name, inner] of Object.entries(value))
      if (/^[\w$-]+$/.test(name)) walk(inner, path ? `${path}.${name}` : name, depth + 1);
  };
  for (const { payload } of rows?.slice(0, SAMPLED) ?? []) walk(payload, "", 0);
  return [...paths].sort().slice(0, 50);
}
