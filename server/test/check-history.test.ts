import { describe, expect, it } from "vitest";
import { checkHistory, type History } from "./check-history.ts";

const SECOND = 1_000;

/** One run that went well, one whose instance was killed, one that waited for their key. */
function good(): History {
  const log = (run_id: string, ...moves: [string | null, string, string, number, number][]) =>
    moves.map(([from_status, to_status, cause, attempt, secs], index) => ({
      ...{ run_id, ordinal: index + 1, from_status, to_status, cause, attempt },
      at: secs * SECOND,
    }));
  return {
    acknowledged: ["a", "b", "c"],
    runs: [
      { id: "a", status: "completed", attempt: 1, key: "k", result: { attempt: 1 } },
      { id: "b", status: "completed", attempt: 2, key: "k", result: { attempt: 2 } },
      { id: "c", status: "failed", attempt: 1, key: "k", result: null },
    ],
    transitions: [
      ...log("a", [null, "pending", "created", 0, 0], ["pending", "running", "claimed", 1, 1]),
      ...log("a", [null, "", "", 0, 0], [null, "", "", 0, 0], ["running", "completed", "completed", 1, 5]).slice(2),
      ...log(
        "b",
        [null, "pending", "created", 0, 0],
        ["pending", "running", "claimed", 1, 2],
        ["running", "pending", "lease_lost", 1, 40],
        ["pending", "running", "claimed", 2, 42],
        ["running", "completed", "completed", 2, 44],
      ),
      ...log(
        "c",
        [null, "pending", "created", 0, 0],
        ["pending", "running", "claimed", 1, 5],
        ["running", "failed", "failed", 1, 6],
      ),
    ],
    dispatches: [
      { run_id: "a", attempt: 1, at: 1.1 * SECOND },
      { run_id: "b", attempt: 1, at: 2.1 * SECOND },
      { run_id: "c", attempt: 1, at: 5.1 * SECOND },
      { run_id: "b", attempt: 2, at: 42.1 * SECOND },
    ],
    reports: [
      { run_id: "b", attempt: 1, at: 43 * SECOND, accepted: false },
      { run_id: "b", attempt: 2, at: 43 * SECOND, accepted: true },
    ],
    faults: [{ at: 10 * SECOND, held: [{ run_id: "b", attempt: 1 }] }],
    max_per_key: 2,
  };
}

type Log = History["transitions"][number];
const last = (history: History, run_id: string): Log =>
  history.transitions.findLast((each) => each.run_id === run_id) as Log;
const runOf = (history: History, id: string) => history.runs.find((run) => run.id === id) as History["runs"][number];

/** What is done to the history, and what must be said of it. */
const MUTATIONS: Record<string, [(history: History) => void, RegExp]> = {
  "an acknowledged run is gone": [(h) => h.acknowledged.push("d"), /d was acknowledged and is lost/],
  "a run never ends": [
    (h) => {
      runOf(h, "a").status = "running";
      h.transitions = h.transitions.filter((each) => each !== last(h, "a"));
    },
    /a is stuck: running/,
  ],
  "a run ends twice": [(h) => h.transitions.push({ ...last(h, "a"), ordinal: 4 }), /a ended 2 times/],
  "a run leaves its end": [
    (h) => {
      h.transitions.push({ ...last(h, "c"), ordinal: 4, from_status: "failed", to_status: "pending", cause: "retry" });
    },
    /c moved from failed to pending/,
  ],
  "a transition is missing": [
    (h) =>
      h.transitions.splice(
        h.transitions.findIndex((each) => each.run_id === "b" && each.ordinal === 3),
        1,
      ),
    /b lacks transition 3/,
  ],
  "a run is not what its log says": [
    (h) => (runOf(h, "c").status = "canceled"),
    /c is canceled, and its log says failed/,
  ],
  "an attempt is claimed twice": [
    (h) => {
      for (const each of h.transitions) if (each.run_id === "b" && each.attempt === 2) each.attempt = 1;
    },
    /b was claimed as 1, 1/,
  ],
  "an attempt is not counted": [(h) => (runOf(h, "b").attempt = 3), /b is at attempt 3 after 2 claims/],
  "the same attempt is dispatched twice": [
    (h) => h.dispatches.push({ run_id: "a", attempt: 1, at: 3 * SECOND }),
    /a was dispatched as attempt 1 after 1/,
  ],
  "an older attempt is dispatched after a newer": [
    (h) => {
      h.dispatches = h.dispatches.toReversed().map((each, nth) => ({ ...each, at: nth }));
    },
    /b was dispatched as attempt 1 after 2/,
  ],
  "somebody dispatches without a claim": [
    (h) => h.dispatches.push({ run_id: "c", attempt: 2, at: 7 * SECOND }),
    /c was dispatched as attempt 2, which nobody claimed/,
  ],
  "a zombie's report is taken": [
    (h) => {
      h.reports = h.reports.map((each) => ({ ...each, accepted: true }));
    },
    /b took a report of attempt 1, which was over/,
  ],
  "a zombie's answer is kept": [
    (h) => (runOf(h, "b").result = { attempt: 1 }),
    /b has the result of attempt 1 at attempt 2/,
  ],
  "a key runs too often at once": [(h) => (h.max_per_key = 1), /2 runs of k ran at once; 1 may/],
  "a run is taken over late": [
    (h) => {
      for (const each of h.transitions) if (each.run_id === "b" && each.ordinal > 2) each.at += 10 * SECOND;
    },
    /attempt 1 of b was not taken over in time/,
  ],
  "a run is taken from an instance that lives": [
    (h) => (h.faults = []),
    /attempt 1 of b was given up, and its instance lived/,
  ],
};

describe("the history checker", () => {
  it("finds nothing where all went well", () => {
    expect(checkHistory(good())).toEqual([]);
  });

  it.each(Object.entries(MUTATIONS))("finds that %s", (_, [mutate, said]) => {
    const history = good();
    mutate(history);
    expect(checkHistory(history).join("\n")).toMatch(said);
  });
});
