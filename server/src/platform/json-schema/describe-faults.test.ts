import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { describeFaults } from "./describe-faults.ts";

const ajv = new Ajv({ strict: false, allErrors: true, verbose: true });

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
