import { describe, expect, it } from "vitest";
import { cpuTimer } from "../../../test/cpu-time.ts";
import { compileJsonSchema, schemaFaults } from "./compile-json-schema.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function validatorOf(schema: unknown) {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate;
}

const locations = (schema: unknown, value: unknown) => validatorOf(schema)(value).map((fault) => fault.location);
const messageOf = (schema: unknown) => {
  const compiled = compileJsonSchema(schema);
  return compiled.ok ? "it compiles" : compiled.message;
};

describe("the faults of a value", () => {
  const order = {
    type: "object",
    properties: {
      order: {
        type: "object",
        properties: { id: { type: "string" }, lines: { type: "array", items: { minimum: 1 } } },
      },
      currency: { enum: ["EUR", "USD"] },
      customer: {},
    },
    required: ["order", "customer"],
    additionalProperties: false,
  };

  it("are told all at once, each with its place below the value, in the words of the edge", () => {
    const value = { order: { id: 5, lines: [1, 0] }, currency: "DM", "a b": 1 };
    expect(validatorOf(order)(value)).toEqual([
      { location: ".customer", message: "is required", value },
      { location: '["a b"]', message: "is not a known field or parameter here", value: 1 },
      { location: ".order.id", message: "must be string", value: 5 },
      { location: ".order.lines[1]", message: "must be >= 1", value: 0 },
      { location: ".currency", message: "must be one of EUR, USD", value: "DM" },
    ]);
  });

  it("are none where there is none", () => {
    expect(validatorOf(order)({ order: { id: "1", lines: [] }, customer: 1, currency: "EUR" })).toEqual([]);
    expect(validatorOf({ type: "object" })({})).toEqual([]);
    expect(validatorOf({})(null)).toEqual([]);
  });

  it("of the value itself have no place below it", () => {
    expect(validatorOf({ type: "object" })("text")).toEqual([
      { location: "", message: "must be object", value: "text" },
    ]);
  });

  it("do not bring back what is large", () => {
    const [fault] = validatorOf({ type: "object" })("x".repeat(10_000));
    expect(String(fault?.value).length).toBeLessThan(300);
    expect(validatorOf({ type: "string" })({ big: "x".repeat(10_000) })[0]?.value).toBeNull();
  });

  it("name a property that no part of the schema has looked at", () => {
    const schema = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(locations(schema, { a: 1, b: 2 })).toEqual([".b"]);
  });

  it("are at most fifty", () => {
    const schema = { type: "array", items: { type: "null" } };
    expect(validatorOf(schema)(Array(1_000).fill(1))).toHaveLength(50);
  });

  it("leave the value as it was: no defaults, no conversions, nothing removed", () => {
    const schema = {
      properties: { a: { default: 1 }, n: { type: "number" } },
      additionalProperties: false,
    };
    const value = { n: "5", x: 1 };
    validatorOf(schema)(value);
    expect(value).toEqual({ n: "5", x: 1 });
  });
});

describe("the dialects", () => {
  it("are 2020-12 unless said otherwise, and draft-07", () => {
    const tuple = { prefixItems: [{ type: "string" }] };
    expect(locations(tuple, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: "https://json-schema.org/draft/2020-12/schema", ...tuple }, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: DRAFT_07, items: [{ type: "string" }] }, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: DRAFT_07, ...tuple }, [1])).toEqual([]);
  });

  it("know the formats", () => {
    expect(locations({ format: "email" }, "nobody")).toEqual([""]);
    expect(locations({ $schema: DRAFT_07, format: "date-time" }, "yesterday")).toEqual([""]);
    expect(locations({ format: "of-our-own" }, "anything")).toEqual([]);
  });

  it("take what is not a rule of theirs as a note", () => {
    expect(locations({ type: "string", "x-label": "Name", example: 1 }, "text")).toEqual([]);
  });

  it("follow references within the schema, also to itself", () => {
    const tree = {
      type: "object",
      properties: { left: { $ref: "#" }, name: { $ref: "#/$defs/name" } },
      $defs: { name: { type: "string" } },
    };
    expect(locations(tree, { left: { left: { name: 1 } } })).toEqual([".left.left.name"]);
    expect(locations(tree, { left: { left: { name: "x" } } })).toEqual([]);
  });
});

describe("a schema that does not compile", () => {
  it.each([
    [{ type: "strin" }, /is not valid: schema\.type must be one of/],
    [{ properties: { a: { minimum: "1" } } }, /is not valid: schema\.properties\.a\.minimum must be number/],
    [{ $schema: DRAFT_07, required: "a" }, /is not valid: schema\.required must be array/],
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, /neither .*2020-12.* nor .*draft-07/],
    [{ $schema: 5 }, /neither/],
    [{ $ref: "https://example.com/other.json" }, /refers to https:\/\/example\.com\/other\.json, which is not in it/],
    [{ $ref: "#/$defs/none" }, /refers to #\/\$defs\/none/],
    [{ pattern: "(" }, /pattern/i],
    [{ pattern: "(?=a)b" }, /Invalid pattern/],
    [{ patternProperties: { "(a+)\\1": {} } }, /Invalid pattern/],
    [{ pattern: "a".repeat(501) }, /longer than 500/],
    [{ pattern: "(((x{100}){100}){100})" }, /repeats too much/],
    [{ $async: true }, /\$async/],
    [{ description: "x".repeat(65_536) }, /larger than 65536 bytes/],
    [{ oneOf: Array.from({ length: 3_800 }, (_, i) => ({ minimum: i })) }, /too many branches|too long/],
    [null, /not an object/],
    [5, /not an object/],
  ])("%# says why", (schema, reason) => {
    expect(messageOf(schema)).toMatch(reason);
  });

  it("is a fault of the value when a check asks for it all the same", () => {
    expect(schemaFaults("bad", { type: "strin" }, {}, "body.payload")).toEqual([
      {
        location: "body.payload",
        message: expect.stringMatching(/^cannot be checked: the schema is not valid/),
        value: null,
      },
    ]);
    // And it is not remembered.
    expect(schemaFaults("bad", { type: "object" }, {}, "body.payload")).toEqual([]);
  });
});

describe("schemas of two users", () => {
  it("may have the same $id and know nothing of each other", () => {
    const mine = { $id: "https://example.com/order", type: "string" };
    expect(locations(mine, 1)).toEqual([""]);
    expect(locations({ ...mine, type: "number" }, 1)).toEqual([]);
    expect(messageOf({ $ref: "https://example.com/order" })).toMatch(/not in it/);
    expect(messageOf({ properties: { a: { $id: "inner", type: "string" } } })).toBe("it compiles");
    expect(messageOf({ $ref: "inner" })).toMatch(/not in it/);
  });
});

describe("patterns", () => {
  it("are each their own, on texts and on names", () => {
    const schema = {
      properties: { a: { pattern: "^a+$" }, b: { pattern: "^b+$" } },
      patternProperties: { "^x-": { type: "number" }, "^y-": { type: "string" } },
    };
    expect(locations(schema, { a: "aa", b: "aa", "x-1": "t", "y-1": "t" })).toEqual([".b", ".x-1"]);
  });

  it("are read as JavaScript writes them", () => {
    expect(locations({ pattern: "^\\u0041\\d{2}$" }, "A12")).toEqual([]);
    expect(locations({ pattern: "^(?<year>\\d{4})$" }, "2030")).toEqual([]);
    expect(locations({ pattern: "^\\p{L}+$" }, "Zürich")).toEqual([]);
  });

  it("that would take a backtracking matcher for ever take none", () => {
    const validate = validatorOf({ pattern: "^(a+)+$" });
    const spent = cpuTimer();
    expect(validate(`${"a".repeat(4_000)}!`)).toHaveLength(1);
    expect(spent()).toBeLessThan(2_000);
  });
});

describe("a schema that asks for work without end", () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );

  it.each([
    ["doubling at each reference", { $defs: { ...doubled, d40: {} }, $ref: "#/$defs/d0" }, 1, /takes too long/],
    ["referring to itself", { $ref: "#" }, 1, /refers to itself without end|takes too long/],
    [
      "comparing everything with everything",
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, i) => ({ i })),
      /takes too long/,
    ],
    [
      "with a million faults",
      { items: { allOf: Array(300).fill({ type: "null" }) } },
      Array(50_000).fill(1),
      /takes too long|must be null/,
    ],
  ])("%s is stopped", (_, schema, value, message) => {
    const validate = validatorOf(schema);
    const spent = cpuTimer();
    expect(validate(value)[0]).toMatchObject({ location: "", message: expect.stringMatching(message) });
    expect(spent()).toBeLessThan(3_000);
    expect(validatorOf({ type: "string" })("the next one works")).toEqual([]);
  });
});

describe("schemaFaults", () => {
  it("begins each place with where the value stands, and compiles a schema once", () => {
    const first = schemaFaults("job-1/payload", { required: ["id"] }, {}, "body.payload");
    expect(first).toEqual([{ location: "body.payload.id", message: "is required", value: {} }]);
    // The key names the schema: another under the same key is never looked at.
    expect(schemaFaults("job-1/payload", { required: ["other"] }, {}, "result")[0]?.location).toBe("result.id");
    expect(schemaFaults("job-2/payload", { required: ["other"] }, {}, "result")[0]?.location).toBe("result.other");
  });

  it("forgets the schemas nobody asked for lately", () => {
    schemaFaults("early", { required: ["id"] }, {}, "");
    for (let i = 0; i < 500; i++) schemaFaults(`key-${i}`, {}, {}, "");
    expect(schemaFaults("early", {}, {}, "")).toEqual([]);
  });
});
