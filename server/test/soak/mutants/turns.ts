import type { Mutant } from "./mutant.ts";

/** The turns of concurrency keys. */
export const TURN_MUTANTS: Mutant[] = [
  {
    name: "turns: a run takes a place in the queue, and leaves its own to nobody",
    file: "runs/turns/take-turns.ts",
    from: "and q.rank_at <> d.rank_at and",
    to: "and q.rank_at <> d.rank_at and false and",
    tests: ["flow/runs/turns/turns.test.ts"],
  },
  {
    name: "turns: those of a job that stand first in the queue go first",
    file: "runs/turns/take-turns.ts",
    from: "array_agg(c.run_id order by c.turn_at, c.run_id)",
    to: "array_agg(c.run_id order by c.rank_at, c.run_id)",
    tests: ["flow/runs/turns/turns.test.ts"],
  },
  {
    name: "turns: a run that takes a place has the same rank as the one that leaves it",
    file: "runs/turns/take-turns.ts",
    from: "and g.run_ids <> g.by_rank",
    to: "and false",
    tests: ["flow/runs/turns/turns.test.ts"],
  },
  {
    name: "turns: runs of the same key with less priority put it off",
    file: "runs/turns/next-turn.ts",
    from: "e.interleave_at - e.turn_at = ",
    to: "null is distinct from ",
    tests: ["flow/runs/turns/turns.test.ts"],
  },
  {
    name: "turns: the first run of a key goes behind all that are queued",
    file: "runs/turns/next-turn.ts",
    from: "coalesce((select min(e.interleave_at)",
    to: "coalesce((select max(e.interleave_at)",
    tests: ["flow/runs/turns/turns.test.ts"],
  },
];
