import { describe, expect, it } from "vitest";
import { compileJsonSchema, schemaIssues } from "./compile-json-schema.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function validatorOf(schema: unknown) {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.validate;
}

const locations = (schema: unknown, value: unknown) => validatorOf(schema)(value).map((issue) => issue.location);
const messageOf = (schema: unknown) => {
  const compiled = compileJsonSchema(schema);
  return compiled.ok ? "it compiles" : compiled.message;
};

describe("the issues of a value", () => {
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

  it("are reported together, each with its path below the value, in the wording of the API", () => {
    const value = { order: { id: 5, lines: [1, 0] }, currency: "DM", "a b": 1 };
    expect(validatorOf(order)(value)).toEqual([
      { location: ".customer", message: "is required", value },
      { location: '["a b"]', message: "is not a known field or parameter here", value: 1 },
      { location: ".order.id", message: "must be a string", value: 5 },
      { location: ".order.lines[1]", message: "must be at least 1", value: 0 },
      { location: ".currency", message: "must be one of EUR, USD", value: "DM" },
    ]);
  });

  it("are empty for a valid value", () => {
    expect(validatorOf(order)({ order: { id: "1", lines: [] }, customer: 1, currency: "EUR" })).toEqual([]);
    expect(validatorOf({ type: "object" })({})).toEqual([]);
    expect(validatorOf({})(null)).toEqual([]);
  });

  it("of the value itself have no path below it", () => {
    expect(validatorOf({ type: "object" })("text")).toEqual([
      { location: "", message: "must be an object", value: "text" },
    ]);
  });

  it("do not repeat large values", () => {
    const [issue] = validatorOf({ type: "object" })("x".repeat(10_000));
    expect(String(issue?.value).length).toBeLessThan(300);
    expect(validatorOf({ type: "string" })({ big: "x".repeat(10_000) })[0]?.value).toBeNull();
  });

  it("name a property that no part of the schema has evaluated", () => {
    const schema = { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false };
    expect(locations(schema, { a: 1, b: 2 })).toEqual([".b"]);
  });

  it("are at most fifty", () => {
    const schema = { type: "array", items: { type: "null" } };
    expect(validatorOf(schema)(Array(1_000).fill(1))).toHaveLength(50);
  });

  it("leave the value unchanged: no defaults, no conversions, nothing removed", () => {
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
  it("are 2020-12 by default, and draft-07", () => {
    const tuple = { prefixItems: [{ type: "string" }] };
    expect(locations(tuple, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: "https://json-schema.org/draft/2020-12/schema", ...tuple }, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: DRAFT_07, items: [{ type: "string" }] }, [1])).toEqual(["[0]"]);
    expect(locations({ $schema: DRAFT_07, ...tuple }, [1])).toEqual([]);
  });

  it("support the formats", () => {
    expect(locations({ format: "email" }, "nobody")).toEqual([""]);
    expect(locations({ $schema: DRAFT_07, format: "date-time" }, "yesterday")).toEqual([""]);
    expect(locations({ format: "of-our-own" }, "anything")).toEqual([]);
  });

  it("ignore unknown keywords as annotations", () => {
    expect(locations({ type: "string", "x-label": "Name", example: 1 }, "text")).toEqual([]);
  });

  it("follow references within the schema, including recursive ones", () => {
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
    [{ properties: { a: { minimum: "1" } } }, /is not valid: schema\.properties\.a\.minimum must be a number/],
    [{ $schema: DRAFT_07, required: "a" }, /is not valid: schema\.required must be a list/],
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
    [
      { oneOf: Array.from({ length: 2_100 }, (_, i) => ({ minimum: i })) },
      /applies 2101 subschemas to one value at schema,/,
    ],
    [{ properties: Object.fromEntries(Array.from({ length: 3_100 }, (_, i) => [`p${i}`, {}])) }, /more than 3000 sub/],
    [{ $ref: "#" }, /refers to itself without end at schema/],
    [{ properties: { a: { anyOf: [{ type: "string" }, { $ref: "#/properties/a" }] } } }, /without end at schema\.prop/],
    [{ allOf: [] }, /schema\.allOf must have at least 1 item/],
    [{ $defs: { unused: { minLength: -1 } } }, /schema\.\$defs\.unused\.minLength must be at least 0/],
    [{ allOf: [{ $id: "a" }, { $id: "a" }] }, /two schemas named "a"/],
    [{ $id: "a".repeat(1_001) }, /\$id of more than 1000/],
    [
      { allOf: Array.from({ length: 30 }, (_, i) => ({ pattern: `x{100}${i}` })) },
      /patterns that repeat too much, the last of them at schema\.allOf\[2\d\]/,
    ],
    [null, /not an object/],
    [5, /not an object/],
  ])("%# has a reason", (schema, reason) => {
    expect(messageOf(schema)).toMatch(reason);
  });

  it("is an issue of the value when a value is validated against it anyway", () => {
    expect(schemaIssues("bad", { type: "strin" }, {}, "body.payload")).toEqual([
      {
        location: "body.payload",
        message: expect.stringMatching(/^cannot be checked: the schema is not valid/),
        value: null,
      },
    ]);
    // And it is not cached.
    expect(schemaIssues("bad", { type: "object" }, {}, "body.payload")).toEqual([]);
  });
});

describe("schemas of two users", () => {
  it("may have the same $id without affecting each other", () => {
    const mine = { $id: "https://example.com/order", type: "string" };
    expect(locations(mine, 1)).toEqual([""]);
    expect(locations({ ...mine, type: "number" }, 1)).toEqual([]);
    expect(messageOf({ $ref: "https://example.com/order" })).toMatch(/not in it/);
    expect(messageOf({ properties: { a: { $id: "inner", type: "string" } } })).toBe("it compiles");
    expect(messageOf({ $ref: "inner" })).toMatch(/not in it/);
  });
});

describe("patterns", () => {
  it("are independent, for texts and for property names", () => {
    const schema = {
      properties: { a: { pattern: "^a+$" }, b: { pattern: "^b+$" } },
      patternProperties: { "^x-": { type: "number" }, "^y-": { type: "string" } },
    };
    expect(locations(schema, { a: "aa", b: "aa", "x-1": "t", "y-1": "t" })).toEqual([".b", ".x-1"]);
  });

  it("use JavaScript's syntax", () => {
    expect(locations({ pattern: "^\\u0041\\d{2}$" }, "A12")).toEqual([]);
    expect(locations({ pattern: "^(?<year>\\d{4})$" }, "2030")).toEqual([]);
    expect(locations({ pattern: "^\\p{L}+$" }, "Zürich")).toEqual([]);
  });

  it("that would exhaust a backtracking matcher run in linear time", () => {
    expect(locations({ pattern: "^(a+)+$" }, `${"a".repeat(4_000)}!`)).toEqual([""]);
  });
});

describe("the cost of a schema", () => {
  const doubling = (levels: number) => ({
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: levels }, (_, i) => [
          `d${i}`,
          { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
        ]),
      ),
      [`d${levels}`]: {},
    },
    $ref: "#/$defs/d0",
  });

  it.each([26, 700])("is refused with its path before expansion: %i levels of doubling", (levels) => {
    const compiled = compileJsonSchema(doubling(levels));
    expect(compiled).toEqual({
      ok: false,
      message: `applies 2045 subschemas to one value at schema.$defs.d${levels - 9}, counted through $ref, allOf and the like: at most 2000; apply fewer there, or move them below properties`,
    });
    expect(compileJsonSchema(doubling(8)).ok).toBe(true);
  });

  it("counts the subschemas applied to one value, not those referenced for many", () => {
    const level = (i: number) => ({ properties: { a: { $ref: `#/$defs/d${i}` }, b: { $ref: `#/$defs/d${i}` } } });
    const tree = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i}`, level(i + 1)]));
    expect(messageOf({ $defs: { ...tree, d40: {} }, $ref: "#/$defs/d0" })).toBe("it compiles");
  });

  const twice = { allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] };
  const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) });

  it.each([
    ["doubles at each level of the value", twice, nested(60)],
    ["is checked by many schemas", { items: { allOf: Array(1_900).fill({ minLength: 1 }) } }, Array(50_000).fill("a")],
    ["has a million issues", { items: { allOf: Array(300).fill({ type: "null" }) } }, Array(50_000).fill(1)],
    ["is long, for a pattern with many instructions", { pattern: "(a|b)*a(a|b){200}c" }, "ab".repeat(50_000)],
    ["is long, for a format that is quadratic", { format: "url" }, `http://${"a:".repeat(50_000)}@ `],
    [
      "is large, for unique items",
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, i) => ({ i, name: `${i}` })),
    ],
    [
      "has many names, for many patterns",
      patterns(40),
      Object.fromEntries(
        Array(40_000)
          .fill(0)
          .map((_, i) => [i, 0]),
      ),
    ],
  ])("refuses a value that %s by the step budget", (_, schema, value) => {
    const validate = validatorOf(schema);
    expect(validate(value)).toEqual([
      { location: "", message: expect.stringMatching(/^takes too many steps to check/), value: null },
    ]);
    expect(validatorOf({ type: "string" })("the next one works")).toEqual([]);
  });

  function patterns(count: number) {
    return { patternProperties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`^${i}x`, {}])) };
  }

  it("allows the largest payload with a schema that types each of its 50,000 values", () => {
    const line = { type: "object", properties: { sku: { type: "string" }, count: { type: "integer", minimum: 1 } } };
    const schema = {
      properties: { lines: { type: "array", uniqueItems: false, items: { ...line, required: ["sku", "count"] } } },
    };
    const lines = Array.from({ length: 16_600 }, (_, i) => ({ sku: `sku-${i}`, count: i + 1 }));
    expect(locations(schema, { lines })).toEqual([]);
    expect(
      locations(
        { uniqueItems: true, items: { type: "string" } },
        lines.map(({ sku }) => sku),
      ),
    ).toEqual([]);
  });
});

describe("equal items", () => {
  it("of any type are found, with their indexes", () => {
    const found = (value: unknown[]) => validatorOf({ uniqueItems: true })(value).map(({ message }) => message);
    expect(found(["a", "b", "a"])).toEqual(["has duplicate items: [0] and [2]"]);
    expect(found([{ a: 1, b: [2] }, 1, { b: [2], a: 1 }])).toEqual(["has duplicate items: [0] and [2]"]);
    expect(found([1, "1", true, "true", null, "null", [], "[]", {}, "{}", '"'])).toEqual([]);
    expect(found([0, -0])).toEqual(["has duplicate items: [0] and [1]"]);
  });
});

describe("unevaluated items", () => {
  it("are those that no matching schema has evaluated", () => {
    const schema = {
      oneOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [{}, { const: 2 }] }],
      unevaluatedItems: false,
    };
    expect(locations(schema, [0, 2])).toEqual([]);
    expect(validatorOf(schema)([0, 2, 3])[0]?.message).toBe("must have at most 2 items");
    expect(locations({ allOf: [{ prefixItems: [{}] }], unevaluatedItems: { type: "null" } }, [1, null, 3])).toEqual([
      "[2]",
    ]);
  });
});

describe("references", () => {
  it("reach anchors, ids and pointers, including escaped ones", () => {
    const schema = {
      $id: "https://example.com/root.json",
      allOf: [{ $ref: "#id" }, { $ref: "inner.json#/$defs/n" }, { $ref: "#/$defs/a~1b%20c" }],
      $defs: {
        x: { $anchor: "id", required: ["id"] },
        y: { $id: "inner.json", $defs: { n: { required: ["n"] } } },
        "a/b c": { required: ["c"] },
      },
    };
    expect(locations(schema, {})).toEqual([".id", ".n", ".c"]);
  });

  it("that are dynamic resolve to the outermost schema with the anchor", () => {
    const tree = {
      $id: "tree",
      $dynamicAnchor: "node",
      type: "object",
      properties: { children: { items: { $dynamicRef: "#node" } } },
    };
    const strict = {
      $id: "strict",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree },
    };
    expect(locations(strict, { children: [{ more: 1 }] })).toEqual([".children[0].more"]);
    expect(locations({ $ref: "tree", $defs: { tree } }, { children: [{ more: 1 }] })).toEqual([]);
  });
});

describe("schemaIssues", () => {
  it("prefixes each path with the value's location, and compiles a schema once", () => {
    const first = schemaIssues("job-1/payload", { required: ["id"] }, {}, "body.payload");
    expect(first).toEqual([{ location: "body.payload.id", message: "is required", value: {} }]);
    // The key identifies the schema: another schema under the same key is never read.
    expect(schemaIssues("job-1/payload", { required: ["other"] }, {}, "result")[0]?.location).toBe("result.id");
    expect(schemaIssues("job-2/payload", { required: ["other"] }, {}, "result")[0]?.location).toBe("result.other");
  });

  it("evicts schemas that were not used recently", () => {
    schemaIssues("early", { required: ["id"] }, {}, "");
    for (let i = 0; i < 500; i++) schemaIssues(`key-${i}`, {}, {}, "");
    expect(schemaIssues("early", {}, {}, "")).toEqual([]);
  });
});
