import { describe, expect, it, test } from "vitest";
import { compileCel, compileCondition } from "./cel.ts";

const OPTIONS = { variables: { payload: "dyn", steps: "map", name: "string" } } as const;
const TOO_COSTLY = "takes too many steps: the lists or strings are too large for this expression";

function evaluate(source: string, payload: unknown = {}) {
  const compiled = compileCel(source, OPTIONS);
  return compiled.ok ? compiled.evaluate({ payload, steps: {}, name: "n" }) : compiled;
}

function numbers(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

describe("takes and returns values as plain JSON", () => {
  test.each([
    ["payload.a.b == 'x'", { a: { b: "x" } }, true],
    ["payload.n > 4 && payload.n < 5.5", { n: 5 }, true],
    ["payload.n == 5 && payload.n in [1, 5, 2.5]", { n: 5 }, true],
    ["payload.n + 1", { n: 5 }, 6],
    ["10 - payload.n", { n: 5 }, 5],
    ["payload.n * 2 / 4", { n: 5 }, 2.5],
    ["payload.n % 2 == 1", { n: 5 }, true],
    ["7 % payload.n", { n: 5 }, 2],
    ["payload.n % payload.n", { n: 5 }, 0],
    ["size(payload.list) == payload.n", { list: [1], n: 1 }, true],
    ["payload.list[0] + payload.list[1]", { list: [1, 2] }, 3],
    ["payload.none == null", { none: null }, true],
    ["payload.ok ? 'yes' : 'no'", { ok: true }, "yes"],
    ["1 + 2", {}, 3],
    ["3u", {}, 3],
    ["[1, 2.5, 'a', true, null]", {}, [1, 2.5, "a", true, null]],
    ["{'a': 1, 'b': {'c': [2]}}", {}, { a: 1, b: { c: [2] } }],
    ["payload", { a: [{ b: null }] }, { a: [{ b: null }] }],
    ["timestamp('2026-01-02T03:04:05Z')", {}, "2026-01-02T03:04:05.000Z"],
    ["timestamp(payload.at).getHours('Asia/Tokyo')", { at: "2026-01-02T03:04:05Z" }, 12],
    ["duration('90m')", {}, "5400s"],
    [
      "timestamp(payload.at) - timestamp('2026-01-01T00:00:00Z') > duration('24h')",
      { at: "2026-01-02T03:04:05Z" },
      true,
    ],
    ["payload.mail.lowerAscii().split('@')[1]", { mail: "A@Example.com" }, "example.com"],
  ])("%s", (source, payload, value) => {
    expect(evaluate(source, payload)).toEqual({ ok: true, value });
  });

  test.each([
    ["9007199254740993", "The result is an integer beyond ±(2^53 − 1): 9007199254740993"],
    ["1.0 / 0.0", "The result is not a finite number: Infinity"],
    ["b'abc'", "The result is bytes or a type, which have no JSON form"],
    ["type(1)", "The result is bytes or a type, which have no JSON form"],
  ])("%s has no JSON form", (source, message) => {
    expect(evaluate(source)).toEqual({ ok: false, message });
  });
});

describe("macros", () => {
  const payload = {
    items: [
      { sku: "a", n: 1 },
      { sku: "b", n: 2 },
    ],
    map: { x: 1 },
  };

  test.each([
    ["has(payload.items)", true],
    ["has(payload.nothing)", false],
    ["payload.items.exists(i, i.n == 2)", true],
    ["payload.items.all(i, i.n > 1)", false],
    ["payload.items.exists_one(i, i.n == 1)", true],
    ["payload.items.map(i, i.n * 2)", [2, 4]],
    ["payload.items.map(i, i.n > 1, i.sku)", ["b"]],
    ["payload.items.filter(i, i.n > 1)", [{ sku: "b", n: 2 }]],
    ["payload.items.filter(i, i.n > 1).map(i, i.sku)", ["b"]],
    ["payload.map.exists(key, key == 'x')", true],
    ["payload.items.exists(i, i.n == 1) && payload.items.exists(i, i.n == 2)", true],
  ])("%s", (source, value) => {
    expect(evaluate(source, payload)).toEqual({ ok: true, value });
  });

  test.each([
    ["payload.a.exists(x, payload.b.exists(y, x == y))", "exists() may not be nested in another comprehension", 20],
    ["payload.a.map(x, [x].filter(y, y > 1))", "filter() may not be nested in another comprehension", 17],
    ["payload.a.all(x, true ? size(x.map(y, y)) > 1 : false)", "map() may not be nested in another comprehension", 29],
    ["[payload.a].all(x, {'k': x.all(y, y)} == x)", "all() may not be nested in another comprehension", 25],
  ])("%s is refused", (source, message, position) => {
    expect(compileCel(source, OPTIONS)).toEqual({ ok: false, message, position });
  });
});

describe("issues found at compile time", () => {
  test.each([
    ["paylod.a == 1", "Unknown variable: paylod", 0],
    ["payload.a ==", "Unexpected token: EOF", 12],
    ["payload.a = 1", "Unexpected character: =", 10],
    ["1 + 'a'", "no such overload: int + string", 0],
    ["name > 1", "no such overload: string > int", 0],
    ["name && true", "Logical operator requires bool operands, got 'string'", 0],
    ["size(1)", "found no matching overload for 'size(int)'", 0],
    ["true.matches('a')", "found no matching overload for 'bool.matches(string)'", 0],
    ["name.matches('(')", "Invalid pattern: error parsing regexp: missing closing ): `(`", 13],
    ["name.matches('(?=a)')", "Invalid pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`", 13],
    ["cel.bind(x, 1, x)", "Unknown function: bind", 0],
    ["name.lastIndexOf('a') == 1", "Unknown function: lastIndexOf", 0],
    ["name.matchesRe2('a')", "Unknown function: matchesRe2", 0],
    ["b'{}'.json()", "Unknown function: json", 0],
    ["eval('1')", "Unknown function: eval", 0],
    ["", "Unexpected token: EOF", 0],
  ])("%s", (source, message, position) => {
    expect(compileCel(source, OPTIONS)).toEqual({ ok: false, message, position });
  });
});

describe("returns evaluation issues and never throws", () => {
  test.each([
    ["payload.a.b", {}, "No such key: a"],
    ["payload.a.b", { a: null }, "No such key: b"],
    ["payload.list[3]", { list: [1] }, "No such key: index out of bounds, index 3 >= size 1"],
    ["payload.a > 'x'", { a: 1 }, "no such overload: dyn<double> > string"],
    ["payload.a && true", { a: "x" }, "Logical operator requires bool operands, got 'string'"],
    ["payload.a.startsWith('x')", { a: 1 }, "found no matching overload for 'double.startsWith(string)'"],
    ["payload.a.matches('x')", { a: 1 }, "found no matching overload for 'double.matches(string)'"],
    ["int(payload.a)", { a: "x" }, "int() type error: cannot convert to int"],
    ["timestamp(payload.a)", { a: "x" }, "timestamp() requires a string in ISO 8601 format"],
    ["timestamp('2026-01-01T00:00:00Z').getHours('Nowhere/City')", {}, "Invalid time zone specified: Nowhere/City"],
    ["1 / 0", {}, "division by zero"],
  ])("%s", (source, payload, message) => {
    expect(evaluate(source, payload)).toEqual({ ok: false, message });
  });

  it("reports a variable that is missing or of another type", () => {
    const compiled = compileCel("name == 'x'", OPTIONS);
    if (!compiled.ok) throw new Error(compiled.message);
    expect(compiled.evaluate({})).toEqual({ ok: false, message: "Unknown variable: name" });
    expect(compiled.evaluate({ name: 1 })).toEqual({
      ok: false,
      message: "Variable 'name' is not of type 'string', got 'double'",
    });
    expect(compiled.evaluate({ name: "x" })).toEqual({ ok: true, value: true });
  });

  it("reports a value nested deeper than the stack allows", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(evaluate("payload == 1", deep).ok).toBe(false);
  });

  it("leaves the stack traces of other code unchanged", () => {
    const before = Error.stackTraceLimit;
    evaluate("payload.a.b");
    expect(Error.stackTraceLimit).toBe(before);
  });
});

describe("reads own properties only", () => {
  test.each([
    ["payload.constructor"],
    ["payload.__proto__"],
    ["payload['__proto__']"],
    ["payload.toString"],
    ["payload.text.constructor"],
    ["payload.text.length"],
    ["payload.list.length"],
    ["payload.list['map']"],
    ["payload.number.toFixed"],
  ])("%s is absent", (source) => {
    const result = evaluate(source, { text: "t", list: [1], number: 1 });
    expect(result).toEqual({ ok: false, message: expect.stringMatching(/^No such key/) });
  });

  test.each([
    "has(payload.constructor)",
    "'constructor' in payload",
    "'__proto__' in payload",
    "'toString' in payload",
  ])("%s is false", (source) => {
    expect(evaluate(source)).toEqual({ ok: true, value: false });
  });

  it("treats a field named constructor like any other field", () => {
    const payload = { teams: [{ constructor: "Ferrari", points: 3 }], constructor: null };
    expect(evaluate("payload.teams[0].constructor", payload)).toEqual({ ok: true, value: "Ferrari" });
    expect(evaluate("has(payload.constructor) && payload.constructor == null", payload)).toMatchObject({ value: true });
    expect(evaluate("payload.teams.exists(t, t.points == 3)", payload)).toEqual({ ok: true, value: true });
    expect(evaluate("payload", payload)).toEqual({ ok: true, value: payload });
  });

  it("does not let a map literal set a prototype", () => {
    expect(evaluate("{'__proto__': {'polluted': true}, 'a': 1}.size()")).toEqual({ ok: true, value: 1 });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("limits, at and over", () => {
  const sum = (terms: number) => Array.from({ length: terms }, () => "1").join("+");
  const brackets = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const text = (bytes: number) => `'${"é".repeat((bytes - 3) / 2)}x'`;

  test.each([
    ["4096 bytes", text(4096)],
    ["499 nodes", sum(250)],
    ["500 nodes", `-${sum(250)}`],
    ["30 levels", brackets(30)],
  ])("%s pass", (_name, source) => {
    expect(compileCel(source, OPTIONS).ok).toBe(true);
  });

  test.each([
    ["4098 bytes", text(4097 + 2), "is longer than 4096 bytes"],
    ["501 nodes", sum(251), "has more than 500 AST nodes"],
    ["31 levels", brackets(31), "is nested more than 30 levels deep"],
    ["31 parentheses", `${"(".repeat(31)}1${")".repeat(31)}`, "is nested more than 30 levels deep"],
    ["4000 times !", `${"!".repeat(4000)}true`, "has more than 500 AST nodes"],
  ])("%s do not", (_name, source, message) => {
    expect(compileCel(source, OPTIONS)).toMatchObject({ ok: false, message });
  });
});

describe("bounds the cost of an evaluation", () => {
  it("allows a loop over 10,000 items with 10 nodes, but not over 10,001", () => {
    const source = "payload.all(x, x >= 0 && !!(x >= 0))";
    expect(evaluate(source, numbers(10_000))).toEqual({ ok: true, value: true });
    expect(evaluate(source, numbers(10_001))).toEqual({ ok: false, message: TOO_COSTLY });
  });

  const large = Object.fromEntries(numbers(10_000).map((i) => [`key-${i}`, i]));
  const objects = numbers(40_000).map((i) => ({ i }));
  const chain = (part: string, count: number) => Array.from({ length: count }, () => part).join(" || ");

  test.each([
    ["in, for each item", "payload.all(x, x in payload)", numbers(5_000)],
    ["== of large values", "payload.all(x, payload == payload)", numbers(5_000)],
    ["errors that exists() absorbs", "payload.exists(x, x.foo == 1)", objects],
    ["errors that || absorbs", `payload.exists(x, ${chain("x.foo", 100)})`, objects.slice(0, 800)],
    ["no bool in ||", `payload.exists(x, ${chain("x", 200)})`, numbers(600)],
    ["absorbed end of the budget", "payload.all(x, x in payload) || true", numbers(5_000)],
    ["time zones", "payload.all(x, timestamp('2026-01-01T00:00:00Z').getHours('Asia/Tokyo') == 9)", numbers(20_000)],
    ["patterns from data", "payload.exists(x, 'a'.matches(x))", numbers(5_000).map((i) => `([a-z]{1,100}){1,10}${i}`)],
    ["text in text", "payload[0].contains(payload[1])", ["a".repeat(500_000), `b${"a".repeat(400_000)}`]],
    ["matches on a long text", "payload.matches('(a+)+$')", `${"a".repeat(900_000)}!`],
    [
      "size of a map, for each item",
      "payload.list.exists(x, payload.map.size() == 1)",
      { list: numbers(500), map: large },
    ],
    [
      "timestamps",
      "payload.exists(x, timestamp('2026-01-01T00:00:00Z') == timestamp('2025-01-01T00:00:00Z'))",
      numbers(9_000),
    ],
    ["size of text, again and again", `[${numbers(150).map(() => "size(payload)")}]`, "é".repeat(100_000)],
    [
      "concatenation",
      numbers(240)
        .map(() => "payload")
        .join(" + "),
      numbers(5_000),
    ],
  ])("%s", (_name, source, payload) => {
    expect(evaluate(source, payload)).toEqual({ ok: false, message: TOO_COSTLY });
  });

  it("bounds a small result that refers to a large one", () => {
    expect(evaluate("payload.map(x, payload)", numbers(5_000))).toEqual({
      ok: false,
      message: "The result is too large",
    });
    const texts = { list: numbers(100), text: "x".repeat(20_000) };
    expect(evaluate("payload.list.map(x, payload.text)", texts)).toMatchObject({ message: "The result is too large" });
  });

  it("gives each evaluation its own budget", () => {
    const compiled = compileCel("payload.all(x, x >= 0)", OPTIONS);
    if (!compiled.ok) throw new Error(compiled.message);
    expect(compiled.evaluate({ payload: numbers(90_000) })).toEqual({ ok: false, message: TOO_COSTLY });
    for (let i = 0; i < 5; i++)
      expect(compiled.evaluate({ payload: numbers(25_000) })).toEqual({ ok: true, value: true });
  });
});

describe("matches", () => {
  test.each([
    ["payload.matches('^a+$')", "aaa", true],
    ["payload.matches('b')", "abc", true],
    ["payload.matches(r'^\\d{4}-\\d{2}$')", "2026-01", true],
    ["payload.matches('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')", "0190a5e4-4001-7123-9e4a-123456789012", true],
    ["payload.matches('(?i)HELLO')", "say hello", true],
    ["[payload].exists(x, x.matches('^a'))", "abc", true],
  ])("%s", (source, payload, value) => {
    expect(evaluate(source, payload)).toEqual({ ok: true, value });
  });

  it("is fast where a backtracking engine takes half a minute", () => {
    expect(evaluate("payload.matches('(a+)+$')", `${"a".repeat(30)}!`)).toEqual({ ok: true, value: false });
  });

  it("reports a bad pattern that comes from data", () => {
    const pattern = (source: string) => evaluate("'text'.matches(payload)", source);
    expect(pattern("(")).toEqual({ ok: false, message: expect.stringContaining("Invalid pattern") });
    expect(pattern("a".repeat(500))).toEqual({ ok: true, value: false });
    expect(pattern("a".repeat(501))).toEqual({ ok: false, message: "Pattern is longer than 500 characters" });
    expect(pattern(`(?:${"a".repeat(400)}){1000}`)).toEqual({ ok: false, message: "Pattern repeats too much" });
    expect(pattern("((a{10}){10}){10}")).toEqual({ ok: true, value: false });
    expect(pattern("(((a|b){10}){10}){10}")).toEqual({ ok: false, message: "Pattern repeats too much" });
    expect(pattern("[{10000}]\\{10000}")).toEqual({ ok: true, value: false });
  });
});

describe("compileCondition", () => {
  it("returns true or false", () => {
    const compiled = compileCondition("payload.total > 100", OPTIONS);
    if (!compiled.ok) throw new Error(compiled.message);
    expect(compiled.evaluate({ payload: { total: 101 } })).toEqual({ ok: true, value: true });
    expect(compiled.evaluate({ payload: {} })).toEqual({ ok: false, message: "No such key: total" });
  });

  it("refuses a non-boolean expression, when compiling or when evaluating", () => {
    expect(compileCondition("1 + 1", OPTIONS)).toEqual({
      ok: false,
      message: "must return true or false, but returns int",
    });
    expect(compileCondition("nope", OPTIONS)).toMatchObject({ ok: false, message: "Unknown variable: nope" });

    const compiled = compileCondition("payload.flag", OPTIONS);
    if (!compiled.ok) throw new Error(compiled.message);
    const gave = (flag: unknown) => compiled.evaluate({ payload: { flag } });
    expect(gave(true)).toEqual({ ok: true, value: true });
    expect(gave("true")).toEqual({ ok: false, message: "must return true or false, but returned string" });
    expect(gave(null)).toEqual({ ok: false, message: "must return true or false, but returned null" });
  });
});
