import { expect, it } from "vitest";
import { synchronous } from "../../../test/world/synchronous.ts";
import { changedSettings } from "./changed-settings.ts";

const changed = (before: object, after: object) => [...synchronous(changedSettings<object>)(before, after)];

it("compares as stored: neither the order of keys nor the sign of zero nor undefined fields matter", () => {
  const before = { tags: { a: 1, b: 0 }, steps: [{ x: 1 }, { y: null }], cron: null };
  expect(changed(before, { tags: { b: -0, a: 1, c: undefined }, steps: [{ x: 1 }, { y: null }], cron: null })).toEqual(
    [],
  );
  expect(changed(before, { tags: { a: 2 }, steps: [{ x: 1 }], cron: "@daily" })).toEqual(["tags", "steps", "cron"]);
});

it("compares a large value in slices, with the same result", () => {
  const steps = (last: number) => [
    { all: Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, i])), last },
  ];
  expect(changed({ steps: steps(1) }, { steps: steps(1) })).toEqual([]);
  expect(changed({ steps: steps(1) }, { steps: steps(2) })).toEqual(["steps"]);
  expect([...changedSettings({ steps: steps(1) }, { steps: steps(1) })].length).toBeGreaterThan(10);
});
