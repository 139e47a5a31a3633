import { openCheckpoints } from "./checkpoints.ts";
import { runInfoOf } from "./dispatch.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { LogBuffer } from "./log-buffer.ts";
import { type Middleware, runInside } from "./middleware.ts";
import { openRecords } from "./records.ts";
import type { RunContext } from "./run-context.ts";
import type { Session } from "./session.ts";
import { openWaits } from "./waits.ts";

/** The context of one attempt. */
export function openContext(
  session: Session,
  { logs, heart, middleware }: { logs: LogBuffer; heart: Heartbeat; middleware: readonly Middleware[] },
): RunContext {
  const { dispatch } = session;
  session.beforeSuspend(logs.flush);
  const hooks = middleware.map(({ aroundStep }) => aroundStep);
  const ctx: RunContext = {
    run: runInfoOf(dispatch),
    payload: dispatch.payload,
    parentOutputs: dispatch.parent_outputs ?? {},
    env: dispatch.env ?? {},
    get signal() {
      return session.signal;
    },
    log: logs.log,
    heartbeat: heart.beat,
    ...openCheckpoints(session, (id, work) => runInside(hooks, { id, ctx }, work)),
    ...openRecords(session),
    ...openWaits(session),
  };
  return ctx;
}
