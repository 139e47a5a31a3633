import { beforeAll, describe, expect, it } from "vitest";
import { checkHistory, INVARIANTS } from "./check.ts";
import { recordGoodHistory } from "./good-history.ts";
import type { History } from "./history.ts";
import { MUTATIONS } from "./mutations.ts";

let good: History;
beforeAll(async () => {
  good = await recordGoodHistory();
});

describe("the history checker", () => {
  it("finds nothing in a correct history", () => {
    expect(checkHistory(good)).toEqual({});
  });

  it("has a mutation for every invariant", () => {
    expect(Object.keys(MUTATIONS)).toEqual(Object.keys(INVARIANTS));
  });

  describe.each(Object.entries(MUTATIONS))("%s alone finds it", (name, mutations) => {
    it.each(Object.entries(mutations))("%s", (_, mutate) => {
      const history = structuredClone(good);
      mutate(history);
      if (name !== "I17") logAll(history);
      const found = checkHistory(history);
      expect(Object.keys(found), JSON.stringify(found)).toEqual([name]);
    });
  });
});

/** Rebuilds the changelog, because a mutation stands for a wrong transition, not for a change missing from the log. */
function logAll(history: History): void {
  const { transitions, decisions } = history;
  const moved = transitions.map(({ project_id, run_id: id, ordinal }) => ({ project_id, kind: "run", id, ordinal }));
  const decided = decisions.map(({ project_id, workflow_run_id: id, ordinal }) => ({
    ...{ project_id, kind: "workflow_run", id, ordinal },
  }));
  const ordered = [...moved, ...decided].sort((a, b) => a.ordinal - b.ordinal);
  history.changes = ordered.map((change, nth) => ({ ...change, position: nth + 1 }));
}
