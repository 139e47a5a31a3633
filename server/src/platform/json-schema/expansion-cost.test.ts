import { describe, expect, it } from "vitest";
import { randomFrom, testSeed } from "../../../test/seed/seed.ts";
import { sizeOf } from "../../../test/world/size.ts";
import { compileJsonSchema } from "./compile-json-schema.ts";

const MAX_EXPANSION = 2_000;
const IN_PLACE = ["allOf", "anyOf", "oneOf"] as const;

/** Levels that refer to later ones in place, or below a property, where the value is another. */
function randomLevels(random: () => number) {
  const count = 2 + Math.floor(random() * 14);
  return Array.from({ length: count }, (_, level) => {
    const later = () => Math.min(count - 1, level + 1 + Math.floor(random() * 2));
    const refs = level === count - 1 ? [] : Array.from({ length: 1 + Math.floor(random() * 3) }, later);
    return { keyword: IN_PLACE[Math.floor(random() * 3)] ?? "allOf", refs, isChild: random() < 0.05 };
  });
}

type Levels = ReturnType<typeof randomLevels>;

function schemaOf(levels: Levels) {
  const $defs = levels.map(({ keyword, refs, isChild }, level) => {
    const nodes = refs.map((ref) => ({ $ref: `#/$defs/d${ref}` }));
    const schema = nodes.length > 0 ? { [keyword]: nodes } : {};
    return [`d${level}`, isChild ? { properties: { a: schema } } : schema];
  });
  return { $defs: Object.fromEntries($defs), $ref: "#/$defs/d0" };
}

/**
 * By expansion: the most subschemas applied to one value, from any starting point. Stops when the limit is clearly
 * exceeded.
 */
function maxApplied(levels: Levels): number {
  const expand = (level: number, room: number): number => {
    const { refs = [], isChild = false } = levels[level] ?? {};
    let sum = 1;
    for (const ref of isChild ? [] : refs) {
      if (sum > room) break;
      sum += 1 + expand(ref, room - sum);
    }
    return sum;
  };
  const starts = levels.map(({ refs, isChild }, level) =>
    isChild
      ? 1 + refs.reduce((sum, ref) => (sum > MAX_EXPANSION ? sum : sum + 1 + expand(ref, MAX_EXPANSION)), 0)
      : expand(level, MAX_EXPANSION),
  );
  return Math.max(1 + expand(0, MAX_EXPANSION), ...starts);
}

describe("random schemas around the limit", () => {
  it("are refused exactly where they apply more subschemas to one value than the limit", () => {
    const random = randomFrom(testSeed("expansion-cost"));
    const verdicts = { accepted: 0, refused: 0 };
    for (let round = 0; round < sizeOf(250, 3_000); round++) {
      const levels = randomLevels(random);
      const compiled = compileJsonSchema(schemaOf(levels));
      const isRefused = maxApplied(levels) > MAX_EXPANSION;
      expect({ levels, isRefused: !compiled.ok }).toEqual({ levels, isRefused });
      if (!compiled.ok) expect(compiled.message).toMatch(/^applies \d+ subschemas to one value at schema/);
      verdicts[isRefused ? "refused" : "accepted"]++;
    }
    expect(verdicts.refused).toBeGreaterThan(sizeOf(3, 50));
    expect(verdicts.accepted).toBeGreaterThan(sizeOf(3, 50));
  });
});
