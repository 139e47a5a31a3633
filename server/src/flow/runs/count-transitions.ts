import { collectForCommit } from "../../platform/database/after-commit.ts";

export type CountedTransition = { from_status: string | null; to_status: string };

/** Once for each row of the transition log, after the commit, so that the counter and the log agree. */
export const countTransitions = collectForCommit<CountedTransition>((ctx, transitions) => {
  const counts = new Map<string, number>();
  for (const { from_status, to_status } of transitions) {
    const pair = `${from_status ?? ""}>${to_status}`;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  for (const [pair, count] of counts) {
    const [from_status = "", to_status = ""] = pair.split(">");
    ctx.metrics.runTransitions.inc({ from_status, to_status }, count);
  }
});
