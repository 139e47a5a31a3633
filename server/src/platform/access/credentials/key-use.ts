import type { Ctx } from "../../context.ts";
import { sql } from "../../database/sql.ts";
import { perService } from "../../service-state.ts";

type KeyUse = { project_id: string; key_id: string };

type Noted = KeyUse & { ms: number };

const MAX_KEYS = 50_000; // over this limit the oldest recorded key is dropped
const PER_STATEMENT = 500;
const EVERY_MS = 10_000;

const usesOf = perService(() => ({
  last: new Map<string, Noted>(),
  timer: undefined as NodeJS.Timeout | undefined,
}));

/**
 * Records in memory that a key was used: a request writes nothing. A timer writes the records seconds later. It is not
 * a background task, since an instance that serves requests need not run tasks (`ROLES`).
 */
export function recordKeyUse(ctx: Ctx, { project_id, key_id }: KeyUse): void {
  const uses = usesOf(ctx);
  const noted = uses.last.get(key_id);
  if (noted) noted.ms = ctx.watch.nowMs();
  else keep(uses.last, { project_id, key_id, ms: ctx.watch.nowMs() });
  uses.timer ??= setTimeout(() => void flushKeyUses(ctx), EVERY_MS).unref();
}

/** Writes the recorded uses. If a write fails they are recorded again, so an unreachable database loses nothing. */
export async function flushKeyUses(ctx: Ctx): Promise<void> {
  const uses = usesOf(ctx);
  clearTimeout(uses.timer);
  uses.timer = undefined;
  const noted = [...uses.last.values()];
  uses.last.clear();
  for (let at = 0; at < noted.length; at += PER_STATEMENT) {
    const page = noted.slice(at, at + PER_STATEMENT);
    await writeUses(ctx, page).catch(() => recordAgain(ctx, page));
  }
}

/** Uses recorded in the meantime are newer. */
function recordAgain(ctx: Ctx, page: readonly Noted[]): void {
  const { last } = usesOf(ctx);
  for (const noted of page) if (!last.has(noted.key_id)) keep(last, noted);
}

function keep(last: Map<string, Noted>, noted: Noted): void {
  const [first] = last.size < MAX_KEYS ? [] : last.keys();
  if (first !== undefined) last.delete(first);
  last.set(noted.key_id, noted);
}

/** Never back, whichever instance writes last, and never into the future if this instance's clock is ahead. */
async function writeUses(ctx: Ctx, page: readonly Noted[]): Promise<void> {
  const sorted = page.toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1)); // two instances lock in the same order
  await sql`
    with used as materialized (
      select u.project_id, u.key_id, least(to_timestamp(u.ms / 1000), clock())::timestamptz(3) as used_at
      from unnest(${sorted.map(({ project_id }) => project_id)}::uuid[],
        ${sorted.map(({ key_id }) => key_id)}::uuid[], ${sorted.map(({ ms }) => ms)}::float8[]) as u (project_id, key_id, ms)
    ),
    held as materialized (
      select k.project_id, k.id, u.used_at from used u, lateral (
        select k.project_id, k.id from api_keys k
        where k.project_id = u.project_id and k.id = u.key_id
          and (k.last_used_at is null or k.last_used_at < u.used_at)
        offset 0 for no key update
      ) k
    )
    update api_keys k set last_used_at = greatest(k.last_used_at, h.used_at) from held h
    where k.project_id = h.project_id and k.id = h.id`.execute(ctx.db);
}
