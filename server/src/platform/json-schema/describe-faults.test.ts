import { statusFilter } from "@millrace/contract/fields";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { describeFaults } from "./describe-faults.ts";

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
ajv.addFormat("email", /@/);

function told(schema: object, value: unknown): string[] {
  const validate = ajv.compile(schema);
  validate(value);
  return describeFaults(validate.errors ?? [], "body").map(({ location, message }) => `${location} ${message}`);
}

const tags = {
  anyOf: [
    { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
    { type: "array", items: { type: "string" } },
  ],
};

describe("what one would not say so", () => {
  it("O3 is told as the words that may be there", () => {
    const filter = statusFilter(["pending", "timed_out"]);
    expect(told(filter, "pending,timed_out")).toEqual([]);
    expect(told(filter, "nope")).toEqual([
      "body must be one of pending, timed_out, or several of them with commas between",
    ]);
    const pattern = "^(pending|failed)(,(pending|failed))*$";
    expect(told({ pattern }, "nope")).toEqual([`body must match pattern "${pattern}"`]);
  });

  it("O3 is told as what stands there twice", () => {
    expect(told({ uniqueItems: true }, ["a", "b", "a"])).toEqual(["body holds the same twice: [0] and [2]"]);
  });
});

describe("what fits none of several schemas", () => {
  const body = { type: "object", properties: { name: { type: "string" }, tags } };

  it("O3 is told by the one that was meant", () => {
    expect(told(body, { tags: { a: 1 } })).toEqual(["body.tags.a must be string"]);
    expect(told(body, { tags: ["a", 2] })).toEqual(["body.tags[1] must be string"]);
    expect(told(body, { tags: { a: "1", b: "2", c: "3" } })).toEqual([
      "body.tags must NOT have more than 2 properties",
    ]);
  });

  it("O3 is told in one sentence when it is of none of their types", () => {
    expect(told(body, { tags: 5 })).toEqual(["body.tags must be object or array"]);
    expect(told({ type: ["object", "null"] }, 5)).toEqual(["body must be object or null"]);
  });

  it("O3 is told all forms that it may have when a text has none of them", () => {
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
    expect(told(formats, "x")).toEqual(['body must be integer or match format "email"']);
    expect(told(formats, 0)).toEqual(["body must be >= 1"]);
    expect(told(formats, null)).toEqual(["body must be integer or string"]);
    expect(told(version, "x")).toEqual(['body must match pattern "^v"', 'body must match format "email"']);
  });

  it("O3 takes nothing from what else is wrong", () => {
    expect(told(body, { name: 1, tags: 5 })).toEqual(["body.name must be string", "body.tags must be object or array"]);
    expect(told({ properties: { a: tags, ab: tags } }, { a: 1, ab: [2] })).toEqual([
      "body.a must be object or array",
      "body.ab[0] must be string",
    ]);
  });

  it("O3 is not what fits two of them where one is asked for", () => {
    const one = { allOf: [{ minLength: 3 }, { oneOf: [{ type: "string" }, { maxLength: 9 }] }] };
    expect(told(one, "ab")).toEqual([
      "body must NOT have fewer than 3 characters",
      "body must match exactly one schema in oneOf",
    ]);
  });

  it("O3 keeps the faults of all of them where each has some", () => {
    expect(told({ anyOf: [{ required: ["a"] }, { required: ["b"] }] }, {})).toEqual([
      "body.a is required",
      "body.b is required",
    ]);
  });
});
