import type { StreamChange } from "@millrace/contract/deliveries/streams";
import type { RunLog } from "@millrace/contract/runs/run-records";
import { useEffect, useMemo, useState } from "react";
import { useApiList } from "../../api/use-api.ts";
import { useLive } from "../../live/use-live.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogFilter = { min: string; q: string };

const PAGE = 100;

/** Logs of a run, oldest first: stored lines are paged from the end, new ones come from the stream. */
export function useRunLogs(runId: string, { min, q }: LogFilter) {
  const logQuery = {
    run_id: runId,
    limit: PAGE,
    ...(min !== "debug" && { min_level: min }),
    ...(q !== "" && { q }),
  };
  const list = useApiList<RunLog>("/v1/logs", logQuery);
  const [fresh, setFresh] = useState<RunLog[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drop the lines of another run
  useEffect(() => setFresh([]), [runId]);
  const onChange = (change: StreamChange) => {
    if (change.type !== "run.log") return;
    setFresh((before) => [...before, { ...(change.object as RunLog), run_id: runId, created_at: change.at }]);
  };
  useLive([`run_logs:${runId}`], onChange, () => {
    setFresh([]);
    void list.refetch();
  });
  const lines = useMemo(() => joined(list.rows, fresh, { min, q }), [list.rows, fresh, min, q]);
  return { ...list, lines };
}

function joined(stored: RunLog[] | undefined, fresh: RunLog[], filter: LogFilter): RunLog[] | undefined {
  if (stored === undefined) return undefined;
  const known = new Set(stored.map(({ id }) => id));
  const added = fresh.filter((line) => !known.has(line.id) && fits(line, filter));
  return [...stored.toReversed(), ...added];
}

function fits({ level, message }: RunLog, { min, q }: LogFilter): boolean {
  const isHigh = LEVELS.indexOf(level) >= LEVELS.indexOf(min as RunLog["level"]);
  return isHigh && message.toLowerCase().includes(q.toLowerCase());
}
