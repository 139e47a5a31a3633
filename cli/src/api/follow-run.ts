import type { RunState } from "@millrace/contract/deliveries/streams";
import type { RunLog } from "@millrace/contract/runs/run-records";
import type { Cli } from "../cli.ts";

export type LogLine = Pick<RunLog, "id" | "level" | "message" | "fields" | "logged_at">;

type Listeners = { onStatus?: (run: RunState) => void; onLine?: (line: LogLine) => void };

/**
 * Follows a run until it ends. Passes on every log line exactly once and in order, including lines logged before the
 * call.
 */
export async function followRun(cli: Cli, runId: string, { onStatus, onLine }: Listeners): Promise<RunState> {
  const emitted = new Set<string>();
  const emitLine = (line: LogLine) => {
    if (emitted.has(line.id)) return;
    emitted.add(line.id);
    onLine?.(line);
  };
  const emitStoredLines = async () => {
    if (!onLine) return;
    for await (const line of cli.client().paginate<LogLine>(`/v1/runs/${runId}/logs`, { limit: 100 })) emitLine(line);
  };

  await emitStoredLines();
  const stream = cli.client().stream(`/v1/runs/${runId}/stream`, { signal: cli.signal });
  let last: RunState | undefined;
  for await (const { event, data } of stream) {
    if (event === "log") emitLine(data as LogLine);
    if (event !== "status") continue;
    last = data as RunState;
    onStatus?.(last);
  }
  await emitStoredLines(); // the stream ends with the status, which may arrive before the last lines
  if (!last) throw new Error(`the stream of run ${runId} contained no status`);
  return last;
}
