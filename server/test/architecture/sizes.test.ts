import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;

/** Longer functions, each with its reason. */
const LONG_FUNCTIONS: Record<string, string> = {
  "api/gate/gate.ts openGate": "the hooks of all routes, in the order in which they run",
  "engine/dispatcher.ts openDispatcher": "slots, lanes and leases change together",
  "engine/run-tasks.ts runTask": "the states of one task",
  "features/endpoints/queries.ts listEndpoints": "one statement",
  "features/webhook-deliveries/claim-deliveries.ts claimFrom": "one statement",
  "features/webhook-deliveries/sender.ts openSender": "capacity, receivers and leases change together",
  "flow/outbox.ts openOutbox": "workers, leases and shutdown change together",
  "flow/runs/create/enqueue-runs.ts insertRuns": "one statement",
  "flow/runs/settle/requeue-runs.ts requeueRuns": "one statement",
  "flow/workflows/progress/end-workflow-runs.ts cancelSteps": "one statement",
  "flow/workflows/progress/end-workflow-runs.ts writeRows": "one statement",
  "flow/workflows/start/create-workflow-runs.ts insertRuns": "one statement",
  "platform/database/database-watch.ts watchDatabase": "the state of one connection check and its log lines",
  "platform/metrics/metrics.ts makeMetrics": "the list of all metrics",
  "platform/settings/read-settings.ts readSettings": "the readers of one source, which collect its errors",
  "platform/streams/feed.ts listen": "the states of one subscription",
  "platform/worker-pool/worker-pool.ts openWorkerPool": "slots, wake-ups and the drain change together",
  "platform/wakeups/wakeup.ts openWakeup": "the states of one listening connection",
};

type Sized = { name: string; lines: number };

/** Functions at the top level of a file: the formatter puts their first and last line at the margin. */
function functionsOf(path: string, text: string): Sized[] {
  const starts = /^(?:export )?(?:(?:async )?function\*? (\w+)|const (\w+)(?:: [^=]+)? = (?:async )?\()/;
  const lines = text.split("\n");
  return lines.flatMap((line, first) => {
    const match = starts.exec(line);
    if (!match) return [];
    const length = lines.slice(first).findIndex((each) => /^\}?\)?[};]/.test(each)) + 1;
    return { name: `${path} ${match[1] ?? match[2]}`, lines: /[;}]$/.test(line) ? 1 : length };
  });
}

describe("sizes", () => {
  const files = sourceFiles();

  it("of files are at most 300 lines", () => {
    const long = files.map(({ path, text }) => ({ name: path, lines: text.split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > MAX_FILE_LINES)).toEqual([]);
  });

  it("of functions are at most 60 lines, with the exceptions listed by name", () => {
    const all = files.flatMap(({ path, text }) => functionsOf(path, text));
    expect(all.length).toBeGreaterThan(1_000);
    expect(all.filter(({ name, lines }) => lines > MAX_FUNCTION_LINES && !(name in LONG_FUNCTIONS))).toEqual([]);
  });

  it("are measured from the first to the last line of a function", () => {
    const text = `function short() {\n${"  a();\n".repeat(3)}}\n\nconst long = (\n  a: string,\n) => {\n${"  b();\n".repeat(70)}};\n`;
    expect(functionsOf("a.ts", text).map(({ lines }) => lines)).toEqual([5, 74]);
  });
});
