import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cpuTimer } from "../../../test/costs/cpu-time.ts";
import { testSeed } from "../../../test/seed/seed.ts";
import { MAX_RENDERED_BYTES, MAX_TEXT_BYTES, renderTemplate, renderText } from "./render-template.ts";

fc.configureGlobal({ seed: testSeed("render-template") });

const SCOPE = {
  payload: {
    user_id: "u-1",
    order: { id: 42, lines: [{ sku: "a" }, { sku: "b" }], paid: true, note: null },
    "odd-key_1": "odd",
    empty: "",
  },
  parent_outputs: { charge: { id: "ch_1" }, skipped: null, partly: { inner: null } },
  item: { n: 7 },
  index: 3,
};

function nest(value: unknown, depth: number): unknown {
  return depth === 0 ? value : [nest(value, depth - 1)];
}

describe("a template that is the whole string keeps the JSON type", () => {
  test.each([
    ["{{payload.user_id}}", "u-1"],
    ["{{payload.order.id}}", 42],
    ["{{payload.order.paid}}", true],
    ["{{payload.order.note}}", null],
    ["{{payload.order.lines}}", [{ sku: "a" }, { sku: "b" }]],
    ["{{payload.order.lines.1}}", { sku: "b" }],
    ["{{payload.order.lines.0.sku}}", "a"],
    ["{{ \t payload.odd-key_1 }}", "odd"],
    ["{{parent_outputs.charge.id}}", "ch_1"],
    ["{{parent_outputs.skipped}}", null],
    ["{{parent_outputs.skipped.id.deeper}}", null],
    ["{{item.n}}", 7],
    ["{{index}}", 3],
    ["{{payload}}", SCOPE.payload],
  ])("%s", (source, value) => {
    expect(renderTemplate(source, SCOPE)).toEqual({ ok: true, value });
  });
});

describe("inside a longer string it becomes text", () => {
  test.each([
    ["order-{{payload.order.id}}", "order-42"],
    ["{{payload.user_id}}:{{payload.order.id}}", "u-1:42"],
    ["{{index}}{{index}}", "33"],
    [" {{payload.order.id}}", " 42"],
    ["{{payload.order.id}}\n", "42\n"],
    ["paid: {{payload.order.paid}}", "paid: true"],
    ["lines={{payload.order.lines}}", 'lines=[{"sku":"a"},{"sku":"b"}]'],
    ['{"id":{{payload.order.id}}}', '{"id":42}'],
    ['{"a":{"b":1}} and {c}', '{"a":{"b":1}} and {c}'],
    ["a}}b{{payload.empty}}c", "a}}bc"],
    ["no template", "no template"],
    ["", ""],
  ])("%j", (source, value) => {
    expect(renderTemplate(source, SCOPE)).toEqual({ ok: true, value });
  });

  it("is not rendered again", () => {
    const scope = { payload: { a: "{{payload.secret}}", secret: "s" } };
    expect(renderTemplate("{{payload.a}}", scope)).toEqual({ ok: true, value: "{{payload.secret}}" });
    expect(renderTemplate("x{{payload.a}}", scope)).toEqual({ ok: true, value: "x{{payload.secret}}" });
  });
});

it("renders through objects and lists, and leaves the template and keys unchanged", () => {
  const template = { a: ["{{index}}", { "{{k}}": "n={{item.n}}" }], b: 1, c: null, d: true };
  const copy = structuredClone(template);
  expect(renderTemplate(template, SCOPE)).toEqual({
    ok: true,
    value: { a: [3, { "{{k}}": "n=7" }], b: 1, c: null, d: true },
  });
  expect(template).toEqual(copy);
});

describe("a missing path fails, with its name and its path in the value", () => {
  test.each([
    ["{{payload.nothing}}", "payload.nothing is missing: payload is an object without nothing"],
    [
      "{{payload.order.lines.2.sku}}",
      "payload.order.lines.2.sku is missing: payload.order.lines is a list of 2 items without 2",
    ],
    ["{{payload.order.note.x}}", "payload.order.note.x is missing: payload.order.note is null without x"],
    ["{{payload.user_id.x}}", "payload.user_id.x is missing: payload.user_id is a string without x"],
    ["{{parent_outputs.other.id}}", "parent_outputs.other.id is missing: parent_outputs is an object without other"],
    [
      "{{parent_outputs.partly.inner.x}}",
      "parent_outputs.partly.inner.x is missing: parent_outputs.partly.inner is null without x",
    ],
    ["{{env.SECRET}}", "env.SECRET is missing: there is no env here"],
    ["x {{payload.nothing}}", "payload.nothing is missing: payload is an object without nothing"],
  ])("%s", (source, message) => {
    const problem = { code: "template_path_missing", location: 'payload.list[1]["a b"]', message };
    expect(renderTemplate({ list: ["ok", { "a b": source }] }, SCOPE, "payload")).toEqual({ ok: false, problem });
  });

  test.each([
    ["__proto__"],
    ["constructor"],
    ["constructor.prototype"],
    ["toString"],
    ["hasOwnProperty"],
    ["order.lines.length"],
    ["order.lines.map"],
    ["order.lines.-1"],
    ["order.lines.01"],
    ["order.lines.1e0"],
    ["user_id.length"],
    ["user_id.0"],
    ["order.id.toFixed"],
  ])("payload.%s: own properties and indexes only", (path) => {
    expect(renderTemplate(`{{payload.${path}}}`, SCOPE)).toMatchObject({ problem: { code: "template_path_missing" } });
  });

  it("a root that is only inherited", () => {
    expect(renderTemplate("{{constructor.name}}", SCOPE)).toMatchObject({ problem: { code: "template_path_missing" } });
    expect(renderTemplate("{{__proto__}}", SCOPE)).toMatchObject({ problem: { code: "template_path_missing" } });
  });
});

it("null inside text fails", () => {
  for (const path of ["payload.order.note", "parent_outputs.skipped", "parent_outputs.skipped.id"]) {
    const problem = { code: "template_null_in_text", location: "key", message: `${path} is null, which is not text` };
    expect(renderTemplate(`x{{${path}}}`, SCOPE, "key")).toEqual({ ok: false, problem });
  }
});

describe("renderText, for event keys", () => {
  test.each([
    ["{{payload.order.id}}", "42"],
    ["{{payload.order.paid}}", "true"],
    ["order:{{payload.order.id}}:{{payload.user_id}}", "order:42:u-1"],
    ["{{payload.order.lines.0}}", '{"sku":"a"}'],
    ["plain", "plain"],
    ["", ""],
  ])("%s", (source, value) => {
    expect(renderText(source, SCOPE)).toEqual({ ok: true, value });
  });

  it("fails for null and for missing", () => {
    const code = (source: string) => renderText(source, SCOPE, "event_key");
    expect(code("{{parent_outputs.skipped}}")).toMatchObject({ problem: { code: "template_null_in_text" } });
    expect(code("{{payload.x}}")).toMatchObject({ problem: { code: "template_path_missing", location: "event_key" } });
    expect(code("{{payload.x")).toMatchObject({ problem: { code: "template_malformed" } });
  });
});

describe("limits", () => {
  it("64 levels pass, 65 do not, 100,000 do not exhaust the stack", () => {
    expect(renderTemplate(nest("{{index}}", 64), SCOPE)).toEqual({ ok: true, value: nest(3, 64) });
    const location = `template${"[0]".repeat(64)}`;
    const problem = { code: "template_too_deep", location, message: "is nested more than 64 levels deep" };
    expect(renderTemplate(nest("{{index}}", 65), SCOPE)).toEqual({ ok: false, problem });

    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(renderTemplate(deep, SCOPE)).toEqual({ ok: false, problem });
  });

  it("1 MB of text passes, one byte more does not", () => {
    const scope = { payload: { text: "x".repeat(MAX_TEXT_BYTES - 1), wide: "é".repeat(MAX_TEXT_BYTES / 2) } };
    expect(renderTemplate("a{{payload.text}}", scope).ok).toBe(true);
    expect(renderTemplate("ab{{payload.text}}", scope)).toMatchObject({ problem: { code: "template_text_too_long" } });
    expect(renderTemplate("a{{payload.wide}}", scope)).toMatchObject({ problem: { code: "template_text_too_long" } });
    expect(renderText("{{payload.text}}".repeat(60_000), scope)).toMatchObject({ ok: false });
  });

  it("a large value can be used up to 4 MB in all, by any number of templates", () => {
    const scope = { payload: { text: "x".repeat(999_998), list: ["y".repeat(100_000)] } };
    const times = (count: number, source: string) => Array.from({ length: count }, () => source);
    expect(renderTemplate(times(4, "{{payload.text}}"), scope).ok).toBe(true);
    expect(renderTemplate(times(5, "{{payload.text}}"), scope)).toMatchObject({
      problem: { code: "payload_too_large", location: "template[4]" },
    });

    const spent = cpuTimer();
    expect(renderTemplate(times(40_000, "{{payload.list}}"), scope)).toMatchObject({
      problem: { code: "payload_too_large" },
    });
    expect(renderTemplate(times(40_000, "-{{payload.list}}"), scope)).toMatchObject({ ok: false });
    expect(spent()).toBeLessThan(1_000);
    expect(MAX_RENDERED_BYTES).toBe(4_194_304);
  });

  it("a key named __proto__ stays data", () => {
    const template = JSON.parse('{"__proto__":{"polluted":"{{index}}"}}');
    const rendered = renderTemplate(template, SCOPE);
    if (!rendered.ok) throw new Error(rendered.problem.message);
    expect(JSON.stringify(rendered.value)).toBe('{"__proto__":{"polluted":3}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

it("leaves any JSON without braces as it is", () => {
  const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("{{"));
  fc.assert(
    fc.property(json, (value) => {
      expect(renderTemplate(value, SCOPE)).toEqual({ ok: true, value });
    }),
  );
});

it("returns any value at any path unchanged, and never throws on any text", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/).filter((key) => key !== "__proto__");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.jsonValue(), (names, value) => {
      const payload = names.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      expect(renderTemplate(`{{payload.${names.join(".")}}}`, { payload })).toEqual({ ok: true, value });
    }),
  );
  const braces = fc.array(fc.constantFrom("{", "}", "{{", "}}", "payload", ".", " ", "index", "é"), { maxLength: 20 });
  fc.assert(fc.property(braces, (pieces) => typeof renderTemplate(pieces.join(""), SCOPE).ok === "boolean"));
});
