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
      const found = checkHistory(history);
      expect(Object.keys(found), JSON.stringify(found)).toEqual([name]);
    });
  });
});
