import type { RunLog } from "@millrace/contract/run-records";
import type { RunState } from "@millrace/contract/streams";
import type { Cli } from "./cli.ts";

export type LogLine = Pick<RunLog, "id" | "level" | "message" | "fields" | "logged_at">;

type Followers = { onStatus?: (run: RunState) => void; onLine?: (line: LogLine) => void };

/** Follows a run to its end; every line it has logged is told once, in its order, those before the call among them. */
export async function followRun(cli: Cli, runId: string, { onStatus, onLine }: Followers): Promise<RunState> {
  const told = new Set<string>();
  const tellLine = (line: LogLine) => {
    if (told.has(line.id)) return;
    told.add(line.id);
    onLine?.(line);
  };
  const tellKept = async () => {
    if (!onLine) return;
    for await (const line of cli.client().paginate<LogLine>(`/v1/runs/${runId}/logs`, { limit: 100 })) tellLine(line);
  };

  await tellKept();
  const stream = cli.client().stream(`/v1/runs/${runId}/stream`, { signal: cli.signal });
  let last: RunState | undefined;
  for await (const { event, data } of stream) {
    if (event === "log") tellLine(data as LogLine);
    if (event !== "status") continue;
    last = data as RunState;
    onStatus?.(last);
  }
  await tellKept(); // the stream ends with the status, which may overtake the last lines
  if (!last) throw new Error(`the stream of run ${runId} told no status`);
  return last;
}
