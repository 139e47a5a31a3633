import type { Ctx } from "../context.ts";

/**
 * Runs `fn` after the commit of the caller's transaction; at once if it has none, since its statement has committed by
 * itself. Functions that are called with and without a transaction use it.
 */
export function afterCommit(ctx: Ctx, fn: (ctx: Ctx) => void): void {
  if (ctx.afterCommit) ctx.afterCommit(fn);
  else fn(ctx);
}

/** The same for items: those that a transaction collects are passed to `take` together, once. */
export function collectForCommit<T>(
  take: (ctx: Ctx, items: readonly T[]) => void,
): (ctx: Ctx, items: readonly T[]) => void {
  const collected = new WeakMap<NonNullable<Ctx["afterCommit"]>, T[]>();
  return (ctx, items) => {
    if (items.length === 0) return;
    if (!ctx.afterCommit) {
      take(ctx, items);
      return;
    }
    const before = collected.get(ctx.afterCommit);
    if (before) {
      for (const item of items) before.push(item);
      return;
    }
    const all = [...items];
    collected.set(ctx.afterCommit, all);
    ctx.afterCommit((outer) => take(outer, all));
  };
}
