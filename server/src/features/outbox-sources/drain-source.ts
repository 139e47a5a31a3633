import type pg from "pg";
import type { Ctx } from "../../platform/context.ts";
import { logFailure } from "../../platform/logging/log-failure.ts";
import type { AbortHandle } from "../../platform/outgoing/abort-handle.ts";
import { connectForeign } from "../../platform/outgoing/foreign-database.ts";
import { explain, readStoredDatabase } from "./application-database.ts";
import {
  CLAIM_SECS,
  type ClaimedSource,
  RENEW_MS,
  recordFailure,
  recordReached,
  releaseClaim,
  renewClaim,
} from "./claim-sources.ts";
import { type EnqueuedRow, readNextPage } from "./enqueued-rows.ts";
import { type DrainedPage, LostClaim, triggerRows } from "./trigger-rows.ts";

/** Whether the drainer has other sources to serve: then this one is handed back. */
type Session = { abortHandle: AbortHandle; mustYield: () => boolean };

/**
 * Drains a claimed source until it is aborted, fails, or is claimed by another instance. It stays connected in between,
 * since a row should start within milliseconds of its commit.
 */
export async function drainSource(ctx: Ctx, source: ClaimedSource, session: Session): Promise<void> {
  let client: pg.Client;
  try {
    client = await connectForeign(ctx.outgoing, await readStoredDatabase(ctx, source));
  } catch (error) {
    await fail(ctx, source, error, session);
    return;
  }
  const closing = new Promise<void>((resolve) => client.once("end", resolve));
  try {
    await drainConnected(ctx, source, client, session);
  } finally {
    void client.end().catch(() => {});
    await Promise.race([closing, pauseMs(CLOSE_TIMEOUT_MS)]);
  }
}

const CLOSE_TIMEOUT_MS = 1_000;

async function fail(ctx: Ctx, source: ClaimedSource, error: unknown, session: Session): Promise<void> {
  ctx.metrics.outboxSourceFailures.inc();
  await handBack(session, () => recordFailure(ctx, source, explain(error)));
}

/**
 * Retried while the service's own database is away, which may be on the same server: else nobody would drain the source
 * until the claim expires. After that, or if it is aborted, the claim is void anyway.
 */
async function handBack({ abortHandle }: Session, release: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await release();
      return;
    } catch (error) {
      if (abortHandle.isAborted || tries * OWN_FAILURE_PAUSE_MS >= CLAIM_SECS * 1_000) throw error;
      await pauseMs(OWN_FAILURE_PAUSE_MS);
    }
  }
}

async function drainConnected(ctx: Ctx, source: ClaimedSource, client: pg.Client, session: Session): Promise<void> {
  const bell = listenOn(client, session.abortHandle);
  const held = holdClaim(ctx, source);
  let done: DrainedPage = { drained_ids: source.drained_ids, refused: [] };
  let failures = source.consecutive_failures;
  while (!session.abortHandle.isAborted) {
    bell.reset();
    let rows: EnqueuedRow[];
    try {
      rows = await readRows(ctx, client, done);
    } catch (error) {
      return fail(ctx, { ...source, consecutive_failures: failures }, error, session);
    }
    done = NOTHING;
    failures = 0;
    if (!(await held.renew())) return;
    if (rows.length > 0) {
      const next = await tryToTrigger(ctx, source, rows);
      if (next === "lost") return;
      if (next === "failed") await pauseMs(OWN_FAILURE_PAUSE_MS);
      else done = next;
    } else {
      // What was committed has been deleted.
      if (session.mustYield()) break;
      await bell.wait();
    }
  }
  await handBack(session, () => releaseClaim(ctx, source));
}

const NOTHING: DrainedPage = { drained_ids: [], refused: [] };
const OWN_FAILURE_PAUSE_MS = 1_000;

/** While the service's own database is away, the claim counts as held: no run is created without it. */
function holdClaim(ctx: Ctx, source: ClaimedSource) {
  let isReached = source.consecutive_failures === 0;
  let renewedAtMs = performance.now();
  return {
    /** False: it was lost. */
    renew: async (): Promise<boolean> => {
      if (isReached && performance.now() - renewedAtMs < RENEW_MS) return true;
      try {
        const isHeld = await (isReached ? renewClaim : recordReached)(ctx, source);
        isReached = true;
        renewedAtMs = performance.now();
        return isHeld;
      } catch (error) {
        ctx.log.debug({ outbox_source_id: source.id, reason: String(error) }, "a claim could not be renewed");
        return true;
      }
    },
  };
}

function readRows(ctx: Ctx, client: pg.Client, done: DrainedPage): Promise<EnqueuedRow[]> {
  return readNextPage(client, done, { at: new Date(ctx.watch.nowMs()), max_bytes: ctx.config.max_body_bytes });
}

/** `failed`: runs cannot be created now. If they were after all, the keys of the rows find them. */
async function tryToTrigger(
  ctx: Ctx,
  source: ClaimedSource,
  rows: EnqueuedRow[],
): Promise<DrainedPage | "lost" | "failed"> {
  try {
    return await triggerRows(ctx, source, rows);
  } catch (error) {
    if (error instanceof LostClaim) return "lost";
    logFailure(ctx, error, { outbox_source_id: source.id }, "rows of an outbox source could not be drained");
    return "failed";
  }
}

/** Waits for notifications of commits. Behind a pooler, which passes on none, a short poll replaces them. */
const POLL_MS = 100;
const POLL_WHEN_NOTIFIED_MS = 1_000;

function listenOn(client: pg.Client, abortHandle: AbortHandle) {
  let isNotified = false;
  let pollMs = POLL_MS;
  let ring = () => {};
  client.on("notification", () => {
    // The first may be our own, which shows that they arrive.
    pollMs = POLL_WHEN_NOTIFIED_MS;
    isNotified = true;
    ring();
  });
  client.on("end", () => ring());
  abortHandle.onAbort = () => ring();
  void client.query("listen millrace_enqueued").catch(() => {});
  void client.query("select pg_notify('millrace_enqueued', '')").catch(() => {});
  return {
    reset: () => {
      isNotified = false;
    },
    wait: () =>
      new Promise<void>((resolve) => {
        if (isNotified || abortHandle.isAborted) return resolve();
        const timer = setTimeout(resolve, pollMs);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
