import { openCheckpoints } from "./checkpoints.ts";
import { type Dispatch, runInfoOf } from "./dispatch.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LogBuffer } from "./log-buffer.ts";
import { openRecords } from "./records.ts";
import type { RunContext } from "./run-context.ts";
import type { Session } from "./session.ts";
import { openWaits } from "./waits.ts";

/** The context of one attempt. */
export function openContext(dispatch: Dispatch, session: Session, logs: LogBuffer, heart: Heartbeat): RunContext {
  session.beforeSuspend(logs.flush);
  return {
    run: runInfoOf(dispatch),
    payload: dispatch.payload,
    parentOutputs: dispatch.parent_outputs ?? {},
    env: dispatch.env ?? {},
    signal: session.signal,
    log: logs.log,
    heartbeat: heart.beat,
    ...openCheckpoints(session),
    ...openRecords(session),
    ...openWaits(session),
  };
}
