import type { RunEnd } from "../client/run-end.ts";
import type { AnyJob } from "../define-job.ts";
import { type Duration, durationSecs } from "../duration.ts";
import { NonRetryableError } from "../job-errors.ts";
import { checkWith, SchemaError, type StandardSchema } from "../standard-schema.ts";
import { callerPlace } from "./caller-place.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RunContext, SpawnOptions, WaitForEvent, WaitOptions } from "./run-context.ts";
import type { Session } from "./session.ts";

type EventLike = string | { key?: string; schema?: StandardSchema<unknown, unknown> | undefined };
type AnyWaitOptions = WaitOptions & { key?: string; schema?: StandardSchema<unknown, unknown> };

/** The calls that suspend a run. Ended waits are matched by kind and key, in the order they were started. */
export function openWaits(session: Session): Pick<RunContext, "waitForEvent" | "sleep" | "spawn" | "spawnAndWait"> {
  const taken = new Set<number>();
  const take = (isWanted: (key: string) => boolean) => {
    const found = session.dispatch.waits.find(({ event_key, ordinal }) => !taken.has(ordinal) && isWanted(event_key));
    if (found) taken.add(found.ordinal);
    return found;
  };
  let spawned = 0;
  const childKey = () => `${session.dispatch.run_id}:spawn:${++spawned}`;

  async function waitForEvent(place: Place, event: EventLike, options: AnyWaitOptions = {}): Promise<unknown> {
    const key = options.key ?? (typeof event === "string" ? event : event.key);
    if (!key) throw new NonRetryableError("waitForEvent requires a key.", { code: "no_event_key" });
    const schema = options.schema ?? (typeof event === "string" ? undefined : event.schema);
    const found = take((candidate) => candidate === key);
    if (found) return received(schema, found.payload);
    return session.suspend({ name: `waitForEvent(${key})`, place }, "/wait-for-event", {
      event_key: key,
      ...(options.timeout && { timeout_secs: durationSecs(options.timeout) }),
      ...(options.notifyUrl && { notify_url: options.notifyUrl }),
    });
  }
  async function sleep(place: Place, time: Duration | Date): Promise<void> {
    if (take((key) => INTERNAL.sleep.test(key))) return;
    const body = time instanceof Date ? { until: time.toISOString() } : { secs: durationSecs(time) };
    const name = `sleep(${time instanceof Date ? time.toISOString() : time})`;
    await session.suspend({ name, place }, "/sleep", body);
  }
  const spawn = async (job: AnyJob | string, payload?: unknown, options: SpawnOptions = {}) => {
    const body = spawnBody(job, payload, { idempotencyKey: childKey(), ...options });
    const { id } = await session.post<{ id: string }>("/spawn", body, { safe: true });
    return { id };
  };
  async function spawnAndWait(
    place: Place,
    job: AnyJob | string,
    payload?: unknown,
    options: SpawnOptions & { timeout?: Duration } = {},
  ): Promise<RunEnd> {
    const body = spawnBody(job, payload, { idempotencyKey: childKey(), ...options });
    const found = take((key) => INTERNAL.child.test(key));
    if (found) return found.payload as RunEnd;
    const timeout = options.timeout && { wait_timeout_secs: durationSecs(options.timeout) };
    const name = `spawnAndWait(${body.job_id})`;
    return session.suspend({ name, place }, "/spawn", { ...body, wait: true, ...timeout });
  }
  return {
    waitForEvent: placed(waitForEvent) as WaitForEvent,
    sleep: placed(sleep),
    spawn: (...args) => ignoreRejection(spawn(...args)),
    spawnAndWait: placed(spawnAndWait) as RunContext["spawnAndWait"],
  };
}

type Place = string | undefined;

/** Passes the place of the call, which a swallowed suspension is reported with. */
function placed<Args extends unknown[], T>(wait: (place: Place, ...args: Args) => Promise<T>) {
  const call = (...args: Args): Promise<T> => ignoreRejection(wait(callerPlace(call), ...args));
  return call;
}

/** Waits without a user-defined key have one derived from their kind and id. */
const INTERNAL = { sleep: /^sleep:[0-9a-f-]{36}$/, child: /^child:[0-9a-f-]{36}$/ };

/** An event that does not match the schema never will, so this is not retried. */
async function received(schema: StandardSchema<unknown, unknown> | undefined, payload: unknown): Promise<unknown> {
  try {
    return await checkWith(schema, payload, "event");
  } catch (error) {
    if (error instanceof SchemaError)
      throw new NonRetryableError(error.message, { code: "event_invalid", cause: error });
    throw error;
  }
}

function spawnBody(job: AnyJob | string, payload: unknown, options: SpawnOptions) {
  return {
    job_id: typeof job === "string" ? job : job.id,
    ...(payload !== undefined && { payload }),
    idempotency_key: options.idempotencyKey,
    tags: options.tags,
    metadata: options.metadata,
    priority: options.priority,
    concurrency_key:
      options.concurrencyKey ?? (typeof job === "object" ? job.concurrencyKey?.(payload as never) : undefined),
    delay_secs: options.delay && durationSecs(options.delay),
  };
}
