import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { RunLog } from "@millrace/contract/runs/run-records";
import { type UseQueryResult, useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { apiKey, type Page } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";
import { usePlace } from "../../shell/place/place.ts";
import { itemsOf, type Loaded, type Span, type TraceOf, traceBelow } from "./trace-items.ts";

/** Of 500 spans each. */
const [MAX_PAGES, PAGE] = [40, 500];
/** Interval per page of spans: longer traces are read again less often. */
const REFETCH_MS = 1_000;
const MAX_REFETCH_MS = 10_000;

/** A trace with those of the children that were expanded. All of them follow their runs while these are open. */
export function useTrace({ type, id }: TraceOf, isOn = true) {
  const { project } = usePlace();
  const client = useQueryClient();
  const [opened, setOpened] = useState<readonly TraceOf[]>([]);
  const wanted = useMemo(() => [{ type, id }, ...opened.filter((each) => each.id !== id)], [type, id, opened]);
  const reads = useQueries({
    combine: dataAndErrors,
    queries: wanted.map((each) => ({
      queryKey: apiKey(project, pathOf(each)),
      enabled: isOn,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readAll(project, pathOf(each), signal, (part) =>
          client.setQueryData<Span[]>(apiKey(project, pathOf(each)), (before) =>
            before && before.length >= part.length ? before : part,
          ),
        ),
    })),
  });
  useLiveTraces(isOn ? wanted : []);
  const spans = reads.data[0];
  const loaded = useMemo<Loaded>(
    () => new Map(wanted.slice(1).map((each, nth) => [each.id, reads.data[nth + 1] ?? "loading"])),
    [wanted, reads.data],
  );
  const shown = useMemo(() => (spans ? itemsOf(spans, loaded) : undefined), [spans, loaded]);
  const load = (span: Span) => {
    const below = traceBelow(span);
    if (below) setOpened((before) => (before.some(({ id }) => id === below.id) ? before : [...before, below]));
  };
  return { shown, load, error: reads.failed?.error ?? null, refetch: () => void reads.failed?.refetch() };
}

/** Stable while no data changes. */
function dataAndErrors(reads: UseQueryResult<Span[]>[]) {
  return { data: reads.map(({ data }) => data), failed: reads.find(({ error }) => error !== null) };
}

function pathOf({ type, id }: TraceOf): string {
  return `/v1/${type === "run" ? "runs" : "workflow-runs"}/${id}/trace`;
}

/** Reads page by page. `onPart` shows what has arrived so far. */
async function readAll(
  project: string,
  path: string,
  signal: AbortSignal,
  onPart: (spans: Span[]) => void,
): Promise<Span[]> {
  const spans: Span[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { data, next_cursor } = await call<Page<Span>>("GET", path, {
      query: { limit: PAGE, cursor },
      project,
      signal,
    });
    spans.push(...data);
    if (next_cursor === null) break;
    cursor = next_cursor;
    onPart([...spans]);
  }
  return spans;
}

/** Log lines are appended as they arrive. After other changes the trace is read again, at most once per second. */
function useLiveTraces(wanted: readonly TraceOf[]): void {
  const { project } = usePlace();
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stale = useRef(new Set<string>());
  useEffect(() => () => clearTimeout(timer.current), []);
  const intervalOf = (paths: Iterable<string>) => {
    const spans = [...paths].map((path) => client.getQueryData<Span[]>(apiKey(project, path))?.length ?? 0);
    return Math.min(MAX_REFETCH_MS, REFETCH_MS * Math.max(1, Math.ceil(Math.max(...spans) / PAGE)));
  };
  const read = () => {
    timer.current = undefined;
    const now = new Set(stale.current);
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => now.has(String(queryKey[1]));
    // Restarting the read at every change would never finish it.
    if (client.isFetching({ predicate }) > 0) timer.current = setTimeout(read, REFETCH_MS);
    else {
      stale.current.clear();
      void client.invalidateQueries({ predicate });
    }
  };
  const invalidate = (paths: readonly string[]) => {
    for (const path of paths) stale.current.add(path);
    timer.current ??= setTimeout(read, intervalOf(stale.current));
  };
  const onChange = (change: StreamChange) => {
    const of = wanted.find(({ id }) => id === change.id);
    if (!of) return;
    if (change.type !== "run.log") return invalidate([pathOf(of)]);
    const log = logSpan(change);
    client.setQueryData<Span[]>(
      apiKey(project, pathOf(of)),
      (before) => before && (before.some(({ id }) => id === log.id) ? before : [...before, log]),
    );
  };
  const topics = wanted.flatMap(({ type, id }) =>
    type === "run" ? [`run:${id}`, `run_logs:${id}`] : [`workflow_run:${id}`],
  );
  useLive(topics, onChange, () => invalidate(wanted.map(pathOf)));
}

function logSpan({ id, at, object }: StreamChange): Span {
  const log = object as RunLog;
  return {
    id: log.id,
    parent_id: `${id}:attempt:${log.attempt}`,
    kind: "log",
    name: log.message,
    status: log.level,
    started_at: log.logged_at,
    finished_at: log.logged_at,
    attempt: log.attempt,
    run_id: null,
    workflow_run_id: null,
    attributes: { fields: log.fields },
    created_at: at,
  };
}
