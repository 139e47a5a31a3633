import { patternsInWords, statusFilter } from "@millrace/contract/schema/fields";
import { namedSchemas } from "@millrace/contract/schema/schema";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { allRoutes } from "../../api/all-routes.ts";
import { describeIssues } from "./describe-issues.ts";

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
ajv.addFormat("email", /@/);
for (const format of ["date-time", "uuid", "uri"]) ajv.addFormat(format, /^nothing$/);

function issuesOf(schema: object, value: unknown): string[] {
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

describe("issues with wording of their own", () => {
  it("O3 list the allowed words", () => {
    const filter = statusFilter(["pending", "timed_out"]);
    expect(issuesOf(filter, "pending,timed_out")).toEqual([]);
    expect(issuesOf(filter, "nope")).toEqual([
      "body must be one of pending, timed_out, or several of them separated by commas",
    ]);
    const pattern = "^(pending|failed)(,(pending|failed))*$";
    expect(issuesOf({ pattern }, "nope")).toEqual([`body must match the pattern ${pattern}`]);
  });

  it("O3 name the duplicate items", () => {
    expect(issuesOf({ uniqueItems: true }, ["a", "b", "a"])).toEqual(["body has duplicate items: [0] and [2]"]);
  });
});

describe("a value that matches none of several schemas", () => {
  const body = { type: "object", properties: { name: { type: "string" }, tags } };

  it("O3 gets the issues of the schema that was meant", () => {
    expect(issuesOf(body, { tags: { a: 1 } })).toEqual(["body.tags.a must be a string"]);
    expect(issuesOf(body, { tags: ["a", 2] })).toEqual(["body.tags[1] must be a string"]);
    expect(issuesOf(body, { tags: { a: "1", b: "2", c: "3" } })).toEqual(["body.tags must have at most 2 fields"]);
  });

  it("O3 gets one message when it has none of their types", () => {
    expect(issuesOf(body, { tags: 5 })).toEqual(["body.tags must be an object or a list"]);
    expect(issuesOf({ type: ["object", "null"] }, 5)).toEqual(["body must be an object or null"]);
  });

  it("O3 gets all allowed formats when a text has none of them", () => {
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
    expect(issuesOf(formats, "x")).toEqual(["body must be a whole number or an e-mail address"]);
    expect(issuesOf(formats, 0)).toEqual(["body must be at least 1"]);
    expect(issuesOf(formats, null)).toEqual(["body must be a whole number or a string"]);
    expect(issuesOf(version, "x")).toEqual(["body must match the pattern ^v", "body must be an e-mail address"]);
  });

  it("O3 does not hide other issues", () => {
    expect(issuesOf(body, { name: 1, tags: 5 })).toEqual([
      "body.name must be a string",
      "body.tags must be an object or a list",
    ]);
    expect(issuesOf({ properties: { a: tags, ab: tags } }, { a: 1, ab: [2] })).toEqual([
      "body.a must be an object or a list",
      "body.ab[0] must be a string",
    ]);
  });

  it("O3 is not a value that matches two schemas of oneOf", () => {
    const one = { allOf: [{ minLength: 3 }, { oneOf: [{ type: "string" }, { maxLength: 9 }] }] };
    expect(issuesOf(one, "ab")).toEqual([
      "body must have at least 3 characters",
      "body matches several forms, but must match exactly one",
    ]);
  });

  it("O3 gets the issues of all schemas when each has some", () => {
    expect(issuesOf({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {})).toEqual([
      "body.a is required",
      "body.b is required",
    ]);
  });
});

/** For each keyword a schema, a value that it rejects, and the message. */
const EXPECTED: Record<string, [schema: object, value: unknown, issuesOf: string]> = {
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
  uniqueItems: [{ uniqueItems: true }, ["a", "a"], "body has duplicate items: [0] and [1]"],
  contains: [{ contains: { type: "string" } }, [1], "body must contain at least 1 matching item"],
  minProperties: [{ minProperties: 1 }, {}, "body must have at least 1 field"],
  maxProperties: [{ maxProperties: 1 }, { a: 1, b: 2 }, "body must have at most 1 field"],
  minimum: [{ minimum: 1 }, 0, "body must be at least 1"],
  maximum: [{ maximum: 100 }, 101, "body must be at most 100"],
  exclusiveMinimum: [{ exclusiveMinimum: 0 }, 0, "body must be more than 0"],
  exclusiveMaximum: [{ exclusiveMaximum: 1 }, 1, "body must be less than 1"],
  multipleOf: [{ multipleOf: 5 }, 3, "body must be a multiple of 5"],
  format: [{ format: "date-time" }, "now", "body must be a time such as 2030-01-31T12:00:00Z"],
  pattern: [{ pattern: "\\S" }, " ", "body must not be blank"],
  not: [{ not: { const: 1 } }, 1, "body is an excluded value"],
  anyOf: [{ anyOf: [false, false] }, 1, "body is not allowed here"],
};

/** Keywords that validate nothing themselves, or only through their subschemas. */
const SILENT = ["$ref", "$id", "description", "default", "readOnly", "properties", "items", "allOf", "title"];

describe("every keyword of the contract", () => {
  it.each(Object.entries(EXPECTED))("O3 %s has a message in plain English", (_, [schema, value, expected]) => {
    expect(issuesOf(schema, value)).toContain(expected);
  });

  it("O3 is in the table, and every pattern and format has a message of its own", () => {
    const found = { keywords: new Set<string>(), patterns: new Set<string>(), formats: new Set<string>() };
    for (const schema of namedSchemas.values()) collect(schema, found);
    for (const { query } of allRoutes) if (query) collect(query, found);
    expect([...found.keywords].filter((keyword) => !(keyword in EXPECTED) && !SILENT.includes(keyword))).toEqual([]);
    expect([...found.patterns].filter((pattern) => pattern !== "^.*$" && !patternsInWords.has(pattern))).toEqual([]);
    expect(
      [...found.formats].filter((format) => /written in the format/.test(issuesOf({ format }, "?")[0] ?? "")),
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
