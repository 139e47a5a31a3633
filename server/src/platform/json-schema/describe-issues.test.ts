import { patternsInWords, statusFilter } from "@millrace/contract/fields";
import { namedSchemas } from "@millrace/contract/schema";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../api/all-routes.ts";
import { describeIssues } from "./describe-issues.ts";

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
ajv.addFormat("email", /@/);
for (const format of ["date-time", "uuid", "uri"]) ajv.addFormat(format, /^nothing$/);

function reported(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  validate(value);
  return describeIssues(validate.errors ?? [], "body").map(({ location, message }) => `${location} ${message}`);
}

const tags = {
  anyOf: [
    { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
    { type: "array", items: { type: "string" } },
  ],
};

describe("what one would not say so", () => {
  it("O3 is reported as the words that may be there", () => {
    const filter = statusFilter(["pending", "timed_out"]);
    expect(reported(filter, "pending,timed_out")).toEqual([]);
    expect(reported(filter, "nope")).toEqual([
      "body must be one of pending, timed_out, or several of them separated by commas",
    ]);
    const pattern = "^(pending|failed)(,(pending|failed))*$";
    expect(reported({ pattern }, "nope")).toEqual([`body must match the pattern ${pattern}`]);
  });

  it("O3 is reported as what stands there twice", () => {
    expect(reported({ uniqueItems: true }, ["a", "b", "a"])).toEqual(["body holds the same twice: [0] and [2]"]);
  });
});

describe("what fits none of several schemas", () => {
  const body = { type: "object", properties: { name: { type: "string" }, tags } };

  it("O3 is reported by the one that was meant", () => {
    expect(reported(body, { tags: { a: 1 } })).toEqual(["body.tags.a must be a string"]);
    expect(reported(body, { tags: ["a", 2] })).toEqual(["body.tags[1] must be a string"]);
    expect(reported(body, { tags: { a: "1", b: "2", c: "3" } })).toEqual(["body.tags must have at most 2 fields"]);
  });

  it("O3 is reported in one sentence when it is of none of their types", () => {
    expect(reported(body, { tags: 5 })).toEqual(["body.tags must be an object or a list"]);
    expect(reported({ type: ["object", "null"] }, 5)).toEqual(["body must be an object or null"]);
  });

  it("O3 is reported all forms that it may have when a text has none of them", () => {
    const version = {
      anyOf: [
        { type: "integer", minimum: 1 },
        { type: "string", pattern: "^v", format: "email" },
      ],
    };
    const formats = {
      anyOf: [
        { type: "integer", minimum: 1 },
        { type: "string", format: "email" },
      ],
    };
    expect(reported(formats, "x")).toEqual(["body must be a whole number or an e-mail address"]);
    expect(reported(formats, 0)).toEqual(["body must be at least 1"]);
    expect(reported(formats, null)).toEqual(["body must be a whole number or a string"]);
    expect(reported(version, "x")).toEqual(["body must match the pattern ^v", "body must be an e-mail address"]);
  });

  it("O3 takes nothing from what else is wrong", () => {
    expect(reported(body, { name: 1, tags: 5 })).toEqual([
      "body.name must be a string",
      "body.tags must be an object or a list",
    ]);
    expect(reported({ properties: { a: tags, ab: tags } }, { a: 1, ab: [2] })).toEqual([
      "body.a must be an object or a list",
      "body.ab[0] must be a string",
    ]);
  });

  it("O3 is not what fits two of them where one is asked for", () => {
    const one = { allOf: [{ minLength: 3 }, { oneOf: [{ type: "string" }, { maxLength: 9 }] }] };
    expect(reported(one, "ab")).toEqual([
      "body must have at least 3 characters",
      "body fits several forms of which exactly one must fit",
    ]);
  });

  it("O3 keeps the issues of all of them where each has some", () => {
    expect(reported({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {})).toEqual([
      "body.a is required",
      "body.b is required",
    ]);
  });
});

/** For each keyword a schema, a value that it refuses, and what is reported. */
const REPORTED: Record<string, [schema: object, value: unknown, reported: string]> = {
  type: [{ type: ["integer", "boolean", "null"] }, "5", "body must be a whole number or true or false or null"],
  enum: [{ enum: ["asc", "desc"] }, "up", "body must be one of asc, desc"],
  const: [{ const: "all" }, "some", 'body must be "all"'],
  required: [{ required: ["name"] }, {}, "body.name is required"],
  dependencies: [{ dependencies: { a: ["b"] } }, { a: 1 }, "body.b is required where a is given"],
  additionalProperties: [
    { additionalProperties: false },
    { nme: 1 },
    "body.nme is not a known field or parameter here",
  ],
  patternProperties: [
    { patternProperties: { "^[\\s\\S]{1,64}$": {} }, additionalProperties: false },
    { "": 1 },
    'body[""] is not a name that is allowed here: it must have 1 to 64 characters',
  ],
  minLength: [{ minLength: 1 }, "", "body must not be empty"],
  maxLength: [{ maxLength: 1 }, "ab", "body must have at most 1 character"],
  minItems: [{ minItems: 1 }, [], "body must have at least 1 item"],
  maxItems: [{ maxItems: 2 }, [1, 2, 3], "body must have at most 2 items"],
  uniqueItems: [{ uniqueItems: true }, ["a", "a"], "body holds the same twice: [0] and [1]"],
  contains: [{ contains: { type: "string" } }, [1], "body must hold at least 1 item of the kind asked for"],
  minProperties: [{ minProperties: 1 }, {}, "body must have at least 1 field"],
  maxProperties: [{ maxProperties: 1 }, { a: 1, b: 2 }, "body must have at most 1 field"],
  minimum: [{ minimum: 1 }, 0, "body must be at least 1"],
  maximum: [{ maximum: 100 }, 101, "body must be at most 100"],
  exclusiveMinimum: [{ exclusiveMinimum: 0 }, 0, "body must be more than 0"],
  exclusiveMaximum: [{ exclusiveMaximum: 1 }, 1, "body must be less than 1"],
  multipleOf: [{ multipleOf: 5 }, 3, "body must be a multiple of 5"],
  format: [{ format: "date-time" }, "now", "body must be a time such as 2030-01-31T12:00:00Z"],
  pattern: [{ pattern: "\\S" }, " ", "body must not be blank"],
  not: [{ not: { const: 1 } }, 1, "body is a value that is excluded here"],
  anyOf: [{ anyOf: [false, false] }, 1, "body must be left out"],
};

/** Keywords that judge no value, or whose schemas do. */
const SILENT = ["$ref", "$id", "description", "default", "readOnly", "properties", "items", "allOf", "title"];

describe("every keyword of the contract", () => {
  it.each(Object.entries(REPORTED))("O3 %s is reported in plain English", (_, [schema, value, expected]) => {
    expect(reported(schema, value)).toContain(expected);
  });

  it("O3 is in the table, and every pattern and format has words of its own", () => {
    const found = { keywords: new Set<string>(), patterns: new Set<string>(), formats: new Set<string>() };
    for (const schema of namedSchemas.values()) collect(schema, found);
    for (const { query } of allRoutes) if (query) collect(query, found);
    expect([...found.keywords].filter((keyword) => !(keyword in REPORTED) && !SILENT.includes(keyword))).toEqual([]);
    expect([...found.patterns].filter((pattern) => pattern !== "^.*$" && !patternsInWords.has(pattern))).toEqual([]);
    expect(
      [...found.formats].filter((format) => /written in the format/.test(reported({ format }, "?")[0] ?? "")),
    ).toEqual([]);
  });
});

type Found = Record<"keywords" | "patterns" | "formats", Set<string>>;

function collect(schema: unknown, found: Found): void {
  if (Array.isArray(schema)) for (const part of schema) collect(part, found);
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    found.keywords.add(keyword);
    if (keyword === "pattern") found.patterns.add(value);
    if (keyword === "format") found.formats.add(value);
    if (keyword === "patternProperties") for (const pattern of Object.keys(value)) found.patterns.add(pattern);
    if (["properties", "patternProperties"].includes(keyword)) {
      for (const part of Object.values(value)) collect(part, found);
    } else if (["items", "anyOf", "oneOf", "allOf", "not", "additionalProperties"].includes(keyword))
      collect(value, found);
  }
}
