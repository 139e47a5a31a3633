import type { SdkHeartbeat } from "../generated/schemas.ts";
import { CanceledError } from "../job-errors.ts";
import type { Session } from "./session.ts";

export type Heartbeat = { beat: () => Promise<void>; stop: () => void };

/** Sends heartbeats while the job runs, and learns from the responses whether to stop. */
export function startHeartbeat(session: Session, everyMs: number): Heartbeat {
  async function beat(): Promise<void> {
    const { token, cancel_requested } = await session.post<SdkHeartbeat>("/heartbeat", {}, { safe: true });
    if (token !== null) session.useToken(token);
    if (cancel_requested) session.stop(new CanceledError());
  }
  // A failed heartbeat is made up for by the next one.
  const timer = setInterval(() => void beat().catch(() => {}), everyMs);
  return { beat, stop: () => clearInterval(timer) };
}
