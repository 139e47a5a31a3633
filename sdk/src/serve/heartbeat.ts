import type { SdkHeartbeat } from "../generated/schemas.ts";
import { CanceledError } from "../job-errors.ts";
import type { Session } from "./session.ts";

export type Heart = { beat: () => Promise<void>; stop: () => void };

/** Says that the job is alive, again and again, and learns whether it is to stop. */
export function startHeart(session: Session, everyMs: number): Heart {
  async function beat(): Promise<void> {
    const { token, cancel_requested } = await session.post<SdkHeartbeat>("/heartbeat", {}, { safe: true });
    if (token !== null) session.useToken(token);
    if (cancel_requested) session.stop(new CanceledError());
  }
  // A beat that does not come through is made up for by the next one.
  const timer = setInterval(() => void beat().catch(() => {}), everyMs);
  return { beat, stop: () => clearInterval(timer) };
}
