import type { ClientCore } from "../client/create-core.ts";
import { ApiError } from "../client/http/api-error.ts";
import { CanceledError, Suspend } from "../job-errors.ts";
import type { Dispatch } from "./dispatch.ts";

type Wait = { name: string; place: string | undefined };

/** One attempt of a run: its connection to the service, and whether the attempt is still active. */
export type Session = {
  dispatch: Dispatch;
  /** Created when it is first read: most jobs do not, and an AbortController costs more than the rest of a session. */
  readonly signal: AbortSignal;
  /** Whether the run was canceled or lost. */
  isStopped: () => boolean;
  /** Throws if the attempt has ended: the suspension again, or the reason of `signal`. `did` says what the job did. */
  requireLive: (did: string) => void;
  /** Registers work to do before the run is suspended, which ends the attempt. */
  beforeSuspend: (work: () => Promise<void>) => void;
  /** Calls the service about this run. Throws if the run was suspended, canceled or lost. */
  post: <T = unknown>(path: string, body: unknown, options?: { safe?: boolean }) => Promise<T>;
  token: () => string;
  useToken: (token: string) => void;
  stop: (reason: CanceledError) => void;
  /** Ends the attempt with a wait: throws Suspend once the service has accepted it. */
  suspend: (wait: Wait, path: string, body: unknown) => Promise<never>;
  /** The suspension that ended the attempt, whatever the job made of it. */
  suspendedBy: () => Suspend | undefined;
  /** Tracks work that the job need not await but that must finish before the attempt ends. */
  track: <T>(work: Promise<T>) => Promise<T>;
  settled: () => Promise<void>;
};

export function openSession(core: ClientCore, dispatch: Dispatch, firstToken: string): Session {
  let controller: AbortController | undefined;
  let stopReason: CanceledError | undefined;
  const tracked = new Set<Promise<unknown>>();
  let token = firstToken;
  let suspending: Promise<never> | undefined;
  let suspendedBy: Suspend | undefined;
  let beforeSuspend = async () => {};

  const settled = async () => {
    if (tracked.size > 0) await Promise.allSettled([...tracked]);
  };
  async function send<T>(path: string, body: unknown, safe = false): Promise<T> {
    const at = `/sdk/v1/runs/${dispatch.run_id}${path}`;
    try {
      return await core.request<T>("POST", at, { body, safe, headers: { authorization: `Bearer ${token}` } });
    } catch (error) {
      throw isLost(error)
        ? stopWith(new CanceledError(`This attempt no longer owns the run: ${error.message}`))
        : error;
    }
  }
  function stopWith(reason: CanceledError): CanceledError {
    stopReason ??= reason;
    controller?.abort(stopReason);
    return reason;
  }
  function signal(): AbortSignal {
    controller ??= new AbortController();
    if (stopReason) controller.abort(stopReason);
    return controller.signal;
  }
  function requireLive(did: string): void {
    // A job that caught the suspension ends here after all.
    if (suspendedBy) throw new Suspend(suspendedBy.wait, suspendedBy.place, did);
    if (stopReason) throw stopReason;
  }
  function track<T>(work: Promise<T>): Promise<T> {
    tracked.add(work);
    const done = () => void tracked.delete(work);
    work.then(done, done);
    return work;
  }
  async function suspendOnce(
    { name, place }: Wait,
    path: string,
    body: unknown,
    before: Promise<void>,
  ): Promise<never> {
    await before;
    await beforeSuspend();
    await send(path, body, true);
    suspendedBy = new Suspend(name, place);
    throw suspendedBy;
  }

  return {
    dispatch,
    get signal() {
      return signal();
    },
    isStopped: () => stopReason !== undefined,
    requireLive,
    beforeSuspend: (work) => {
      beforeSuspend = work;
    },
    post: async (path, body, { safe = false } = {}) => {
      requireLive(`called ${path.slice(1)}`);
      return send(path, body, safe);
    },
    token: () => token,
    useToken: (fresh) => {
      token = fresh;
    },
    stop: (reason) => void stopWith(reason),
    suspend: async (wait, path, body) => {
      requireLive(`called ${wait.name}`);
      // A second concurrent wait also ends the attempt; it is registered when the job is called again.
      const before = settled();
      suspending ??= track(
        suspendOnce(wait, path, body, before).finally(() => {
          if (suspendedBy === undefined) suspending = undefined;
        }),
      );
      return suspending;
    },
    suspendedBy: () => suspendedBy,
    track,
    settled,
  };
}

const LOST = new Set(["stale_attempt", "run_already_ended", "run_token_expired"]);

function isLost(error: unknown): error is ApiError {
  return error instanceof ApiError && LOST.has(error.code);
}
