import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cpuTimer } from "../../../test/costs/cpu-time.ts";
import { testSeed } from "../../../test/seed/seed.ts";
import { checkTemplate, listTemplatePaths } from "./check-template.ts";
import { renderTemplate } from "./render-template.ts";

fc.configureGlobal({ seed: testSeed("check-template") });

const ROOTS = ["payload", "parent_outputs"];

describe("checkTemplate", () => {
  test.each([
    ["{{payload.a.b}}"],
    ["{{ payload }}"],
    ["x{{parent_outputs.step-1.items.0}}y"],
    ["{single} }} {"],
    [42],
    [null],
    [{ a: ["{{payload.x}}", { b: "t" }] }],
  ])("%j has no issue", (value) => {
    expect(checkTemplate(value, ROOTS)).toEqual([]);
  });

  test.each([
    ["{{payload.a", 'has "{{" at position 0 without "}}"'],
    ["ok {{payload.a} }", 'has "{{" at position 3 without "}}"'],
    ["{{}}", "has an empty template at position 0"],
    ["{{  }}", "has an empty template at position 0"],
    ["{{{{payload.a}}}}", "has braces inside the template at position 0"],
    ["{{{payload.a}}}", "has braces inside the template at position 0"],
    ["{{payload.a {{payload.b}}", "has braces inside the template at position 0"],
    ["{{payload.a + 1}}", 'has a template at position 0 that is not a path like payload.order.id: "payload.a + 1"'],
    ["{{payload..a}}", 'has a template at position 0 that is not a path like payload.order.id: "payload..a"'],
    ["{{payload.a.}}", 'has a template at position 0 that is not a path like payload.order.id: "payload.a."'],
    ["{{payload[0]}}", 'has a template at position 0 that is not a path like payload.order.id: "payload[0]"'],
    ["{{payload.é}}", 'has a template at position 0 that is not a path like payload.order.id: "payload.é"'],
    ["{{f()}}", 'has a template at position 0 that is not a path like payload.order.id: "f()"'],
  ])("%s", (source, message) => {
    const problem = { code: "template_malformed", location: "body.steps[2].event_key", message };
    expect(checkTemplate(source, ROOTS, "body.steps[2].event_key")).toEqual([problem]);
  });

  it("returns all issues, each with its path", () => {
    const value = {
      a: ["{{payload.ok}}", "{{item.x}} and {{env.SECRET}}"],
      "b c": { "{{payload.key}}": "{{" },
      d: "{{}} {{a b}} {{payload.ok}}",
    };
    expect(checkTemplate(value, ROOTS, "body").map(({ location, code }) => [location, code])).toEqual([
      ["body.a[1]", "template_unknown_root"],
      ["body.a[1]", "template_unknown_root"],
      ['body["b c"]["{{payload.key}}"]', "template_malformed"],
      ['body["b c"]["{{payload.key}}"]', "template_malformed"],
      ["body.d", "template_malformed"],
      ["body.d", "template_malformed"],
    ]);
  });

  it("names the allowed roots", () => {
    expect(checkTemplate("{{item.x}}", ROOTS)).toEqual([
      {
        code: "template_unknown_root",
        location: "template",
        message: "reads item.x, but a template can read only payload, parent_outputs",
      },
    ]);
    expect(checkTemplate("{{item.x}}{{index}}", [...ROOTS, "item", "index"])).toEqual([]);
  });

  it("reports nesting beyond 64 levels without following it", () => {
    let deep: unknown = "{{";
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const location = `template${"[0]".repeat(64)}`;
    expect(checkTemplate(deep, ROOTS)).toEqual([
      { code: "template_too_deep", location, message: "is nested more than 64 levels deep" },
    ]);
    expect(listTemplatePaths(deep)).toEqual([]);
  });

  it("takes linear time on a megabyte of braces", () => {
    const spent = cpuTimer();
    for (const source of ["{".repeat(1e6), "{{ ".repeat(3e5), `{{${"a.".repeat(5e5)}}}`, "{{a}}".repeat(2e5)]) {
      checkTemplate(source, ROOTS);
    }
    expect(spent()).toBeLessThan(5_000);
  });

  it("a value that passes never fails as malformed when it is rendered", () => {
    const braces = fc.array(fc.constantFrom("{", "}", "{{", "}}", "payload", ".", " ", "a"), { maxLength: 20 });
    fc.assert(
      fc.property(braces, (pieces) => {
        const source = pieces.join("");
        const rendered = renderTemplate(source, { payload: {} });
        const isMalformed = !rendered.ok && rendered.problem.code === "template_malformed";
        expect(checkTemplate(source, ["payload", "a"]).some((p) => p.code === "template_malformed")).toBe(isMalformed);
      }),
      { numRuns: 500 },
    );
  });
});

it("listTemplatePaths returns each path once, in order", () => {
  const value = { a: "{{payload.b}} {{ parent_outputs.s.f }}", c: ["{{payload.b}}", "{{index}}", 1, "text"] };
  expect(listTemplatePaths(value)).toEqual(["payload.b", "parent_outputs.s.f", "index"]);
});
