import fc from "fast-check";

const codePoint = fc.oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }));
const character = codePoint.map((code) => String.fromCodePoint(code));

/** Text of any characters. For its unit "binary" fast-check prepares a table, which takes a second of CPU. */
export const anyText = (constraints: fc.StringConstraints = {}) => fc.string({ ...constraints, unit: character });
