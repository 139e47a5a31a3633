/** As large as a body may be: 1 MB, 50,000 values, 64 levels. */
export const listOf = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
export const mapOf = <T>(count: number, make: (i: number) => T): Record<string, T> =>
  Object.fromEntries(listOf(count, (i) => [`k${i}`, make(i)]));
/** Out of order, and beyond Latin-1: the slowest names to sort. */
export const scrambledNames = (): Record<string, number> =>
  Object.fromEntries(listOf(49_000, (i) => [`${(i * 7_919) % 49_000}\u4e00`, i]));
export const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
/** Few letters in random order: the slowest input for automata of patterns with many states. */
export const noise = (length: number): string => {
  let state = 1;
  const letter = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state & 4_096 ? "a" : "b";
  };
  return `c${listOf(length, letter).join("")}`;
};

/** The reported case: 2^26 schemas for one value. */
export const DOUBLING = {
  $defs: {
    ...Object.fromEntries(
      listOf(26, (i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]),
    ),
    d26: {},
  },
  $ref: "#/$defs/d0",
};

/** Accepted schemas, each with the value that takes the most steps. */
export const COSTLY: Record<string, [schema: object, value: unknown]> = {
  "doubles at each level": [
    { allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] },
    nested(60),
  ],
  "64 KB of properties": [{ properties: mapOf(2_300, () => ({ type: "string" })) }, mapOf(2_300, () => 1)],
  "2,000 alternatives": [{ items: { anyOf: listOf(1_900, (i) => ({ const: i })) } }, listOf(900, () => "x")],
  "unique objects": [{ uniqueItems: true }, listOf(800, (i) => ({ i, a: [i] }))],
  "unevaluated properties": [
    {
      $defs: { d: { properties: mapOf(300, () => ({})) } },
      allOf: listOf(60, () => ({ allOf: [{ $ref: "#/$defs/d" }] })),
      unevaluatedProperties: false,
    },
    mapOf(300, () => 1),
  ],
  "a pattern with many states": [{ pattern: "(a|b)*a(a|b){60}c" }, noise(700)],
  "patterns for names": [
    { patternProperties: Object.fromEntries(listOf(200, (i) => [`^k${i}$`, {}])) },
    mapOf(800, () => 1),
  ],
  "a quadratic format": [{ format: "url" }, `http://${"a:".repeat(1_300)}@ `],
  "a large enum": [{ items: { enum: listOf(1_500, (i) => ({ a: { b: i } })) } }, listOf(300, () => ({ a: { b: -1 } }))],
  "a long list of required names": [{ items: { required: listOf(7_000, (i) => `r${i}`) } }, listOf(900, () => ({}))],
  "endless validation errors": [
    { items: { allOf: listOf(900, () => ({ type: "null" })) } },
    listOf(900, () => nested(9)),
  ],
};

/** A condition that takes 100,000 steps to evaluate over a long list. */
export const costlyCondition = (i: number) => `payload.list.exists(x, x == -${i + 1}.5 || x == -2.5)`;
