import type { Ctx } from "../context.ts";
import { perService } from "../service-state.ts";

const POLL_EVERY_MS = 5_000; // covers lost wake-ups; one statement for all watched objects
const MIN_INTERVAL_MS = 20; // minimum interval between two reads: many changes at once cause fewer and larger reads

export type FeedKey = { project_id: string; id: string };

/** `version` must differ after every change that watchers should see: each is delivered once. */
export type Fed<T> = FeedKey & { version: string; value: T };

export type Feed<T> = {
  /**
   * Delivers the object now and after each change, until the returned function is called; undefined when it no longer
   * exists. Subscribes before it reads, so nothing between the two is missed. Changes in quick succession may be
   * delivered as one.
   */
  watch: (ctx: Ctx, key: FeedKey, onValue: (value: T | undefined) => void) => () => void;
  /** Reads all watched objects, as the feed does by itself every few seconds. */
  checkAll: (ctx: Ctx) => void;
  /** Reads one object: for callers that learn of its changes without a wake-up. */
  check: (ctx: Ctx, key: FeedKey) => void;
};

type Source<T> = {
  /** Topic of the wake-ups; their detail is `<project_id>:<id>`. */
  topic: string;
  /** Reads all keys in one statement. Keys it does not return no longer exist. */
  read: (ctx: Ctx, keys: FeedKey[]) => Promise<Fed<T>[]>;
};

/**
 * Feeds any number of streams from one listener: changed objects are read together, for all their watchers. Works
 * across instances, since wake-ups do. A module has one feed per topic, and a stream is three lines in the handler of a
 * route with `streams: true`:
 *
 *   const runFeed = openFeed({ topic: "workflow-run", read: readRuns });
 *
 *   return (stream) => runFeed.watch(ctx, { project_id, id }, (run) => {
 *     if (run) stream.send("status", run);
 *     if (!run || run.finished_at) stream.end();
 *   });
 */
export function openFeed<T>(source: Source<T>): Feed<T> {
  const stateOf = perService((ctx: Ctx) => listen(ctx, source));
  return {
    watch: (ctx, key, onValue) => stateOf(ctx).watch(key, onValue),
    checkAll: (ctx) => stateOf(ctx).checkAll(),
    check: (ctx, key) => stateOf(ctx).check([nameOf(key)]),
  };
}

type Watcher<T> = { onValue: (value: T | undefined) => void; version: string | undefined };
type Watched<T> = { key: FeedKey; watchers: Set<Watcher<T>> };

function listen<T>(ctx: Ctx, { topic, read }: Source<T>) {
  const watched = new Map<string, Watched<T>>();
  const due = new Set<string>();
  let isBusy = false;
  let readAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  function watch(key: FeedKey, onValue: Watcher<T>["onValue"]): () => void {
    const name = nameOf(key);
    const watcher = { onValue, version: undefined };
    const entry = watched.get(name) ?? { key, watchers: new Set<Watcher<T>>() };
    entry.watchers.add(watcher);
    watched.set(name, entry);
    timer ??= setInterval(checkAll, POLL_EVERY_MS).unref();
    check([name]);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && watched.get(name) === entry) watched.delete(name);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }

  function check(names: Iterable<string>): void {
    for (const name of names) if (watched.has(name)) due.add(name);
    if (isBusy || due.size === 0) return;
    isBusy = true;
    const leftMs = readAt + MIN_INTERVAL_MS - performance.now();
    // Changes within one turn of the event loop are read together.
    if (leftMs < 1) setImmediate(() => void readDue());
    else setTimeout(() => void readDue(), leftMs);
  }

  function checkAll(): void {
    check(watched.keys());
  }

  async function readDue(): Promise<void> {
    const entries = [...due].flatMap((name) => watched.get(name) ?? []);
    due.clear();
    readAt = performance.now();
    // Only watchers from before the read: for the others its result may be old.
    const reading = entries.map(({ key, watchers }) => ({ key, watchers, there: [...watchers] }));
    try {
      const items =
        entries.length === 0
          ? []
          : await read(
              ctx,
              entries.map(({ key }) => key),
            );
      const found = new Map(items.map((item) => [nameOf(item), item]));
      for (const { key, watchers, there } of reading)
        for (const watcher of there) if (watchers.has(watcher)) deliver(watcher, found.get(nameOf(key)));
    } catch (error) {
      ctx.log.debug({ topic, reason: String(error) }, "a feed could not be read; retrying");
    } finally {
      isBusy = false;
      check([]);
    }
  }

  function deliver(watcher: Watcher<T>, item: Fed<T> | undefined): void {
    if (item && item.version === watcher.version) return;
    watcher.version = item?.version;
    try {
      watcher.onValue(item?.value);
    } catch (error) {
      ctx.log.error({ topic, reason: String(error) }, "a watcher failed");
    }
  }

  // Without a detail, wake-ups may have been missed.
  ctx.wakeup.onWake(topic, (detail) => (detail === undefined ? checkAll() : check([detail])));
  return { watch, check, checkAll };
}

function nameOf({ project_id, id }: FeedKey): string {
  return `${project_id}:${id}`;
}
