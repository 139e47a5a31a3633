import type { Run, RunLogLine, RunState } from "../generated/schemas.ts";
import type { ClientCore } from "./create-core.ts";
import { type Limits, withTimeout } from "./limits.ts";
import { type RunEnd, RunFailedError } from "./run-end.ts";

/**
 * An event of `run.stream()`. After `reset`, changes may have been missed: read the run and its log again.
 *
 * @example
 * const print = (event: RunEvent) => {
 *   if (event.type === "log") console.log(event.line.message);
 *   if (event.type === "status") console.log(event.run.status);
 * };
 * for await (const event of run.stream()) print(event);
 */
export type RunEvent =
  | { type: "status"; id: string | undefined; run: RunState }
  | { type: "log"; id: string | undefined; line: RunLogLine }
  | { type: "reset"; id: string | undefined };

/**
 * Options of `cancel`.
 *
 * @example
 * const options: CancelOptions = { reason: "the order was withdrawn" };
 * await run.cancel(options);
 */
export type CancelOptions = {
  /** Included in the `error` of the run. */
  reason?: string | undefined;
  signal?: AbortSignal | undefined;
};

/**
 * A handle to wait for, follow or cancel a run.
 *
 * @example
 * const run: RunHandle<{ id: string }> = await client.jobs.trigger(sendMail, { to: "ann@example.com" });
 * const end = await run.result({ timeout: "2m" });
 */
export type RunHandle<Output = unknown> = {
  readonly id: string;
  /** The run as returned by the trigger, or undefined if the handle was created from an id. */
  readonly started: Run | undefined;
  /** Reads the run as it is now. */
  get: () => Promise<Run>;
  /** Waits until the run ends and returns its result. */
  result: (limits?: Limits) => Promise<RunEnd<Output>>;
  /** Waits until the run ends and returns its output, or throws RunFailedError. */
  unwrap: (limits?: Limits) => Promise<Output>;
  /** Status changes and log lines until the run ends. Reconnects automatically. */
  stream: (options?: { signal?: AbortSignal; lastEventId?: string }) => AsyncGenerator<RunEvent, void, undefined>;
  /** Cancels the run, and its children with it. */
  cancel: (options?: CancelOptions) => Promise<Run>;
};

export function runHandle<Output>(core: ClientCore, id: string, started?: Run): RunHandle<Output> {
  const path = `/v1/runs/${encodeURIComponent(id)}`;
  const result = (limits?: Limits) =>
    withTimeout(limits, `Run ${id} did not end`, async (signal) => {
      for await (const { event, data } of core.stream<RunState>(`${path}/stream`, { signal })) {
        if (event === "status" && data.finished_at !== null) return endOf<Output>(data);
      }
      throw new Error("the stream ended before the run");
    });
  return {
    id,
    started,
    result,
    get: () => core.request<Run>("GET", path),
    unwrap: async (limits) => {
      const end = await result(limits);
      if (end.ok) return end.output;
      throw new RunFailedError(id, end);
    },
    stream: (options) => readEvents(core, path, options),
    cancel: ({ reason, signal } = {}) =>
      core.request("POST", `${path}/cancel`, { body: reason === undefined ? {} : { reason }, signal }),
  };
}

/** The result of an ended run. */
function endOf<Output>({ status, result, error }: Pick<RunState, "status" | "result" | "error">): RunEnd<Output> {
  if (status === "completed") return { ok: true, status, output: result as Output };
  const reason = error ?? { code: status, message: `The run is ${status}.` };
  return { ok: false, status: status as "failed" | "timed_out" | "canceled", error: reason };
}

async function* readEvents(
  core: ClientCore,
  path: string,
  options?: { signal?: AbortSignal; lastEventId?: string },
): AsyncGenerator<RunEvent, void, undefined> {
  for await (const { event, data, id } of core.stream(`${path}/stream`, options)) {
    if (event === "status") yield { type: "status", id, run: data as RunState };
    if (event === "log") yield { type: "log", id, line: data as RunLogLine };
    if (event === "reset") yield { type: "reset", id };
  }
}
