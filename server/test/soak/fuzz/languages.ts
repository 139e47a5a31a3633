import { parseQuery } from "@millrace/contract/query-language/parse-query";
import { printQuery } from "@millrace/contract/query-language/print";
import { checkTemplate } from "../../../src/flow/templates/check-template.ts";
import { renderTemplate } from "../../../src/flow/templates/render-template.ts";
import { compileCel } from "../../../src/platform/cel/cel.ts";
import { compileJsonSchema } from "../../../src/platform/json-schema/compile-json-schema.ts";
import { cronIssues, nextFires } from "../../../src/platform/time/cron.ts";

export type Language = {
  source: RegExp;
  corpus: string[];
  /** What mutations insert. */
  words: string[];
  /** Whether it was accepted. Throws if what must hold does not. */
  read: (text: string) => boolean;
};

const NOW = "2030-03-09T12:00:00.000Z";
const PAYLOAD = { n: 3, text: "aaab", list: [1, 2, { id: "x" }], nested: { a: { b: null } }, "odd-name": true };
const SCOPE = { payload: PAYLOAD, steps: { a: { output: PAYLOAD, status: "completed" } } };

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const LANGUAGES: Record<string, Language> = {
  conditions: {
    source: /\/platform\/cel\/|cel-js\//,
    corpus: [
      'payload.n > 2 && payload.text.matches("a+b")',
      "payload.list.exists(x, x == 1) || has(payload.nested.a)",
      'payload.list.map(x, x).size() + 1 > 2 ? "yes" : "no"',
      'payload["odd-name"] && !(payload.n in [1.0, 2.0])',
      'timestamp("2030-01-01T00:00:00Z") < timestamp("2031-01-01T00:00:00Z")',
      '{"a": [1, 2u, b"x", null]}.a[0] == 1 % 3',
      'duration("3s") + duration("1m") > duration("2s")',
      "payload.list.filter(x, x > 1).all(y, y < 9) && string(payload.n).startsWith('3')",
    ],
    words: [
      "&&",
      "||",
      "!",
      "==",
      "in",
      ".",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "?",
      ":",
      "payload",
      "n",
      "1",
      "1e9",
      "-",
      "%",
      "*",
      '"a"',
      "'",
      "null",
      "true",
      '.matches("(a*)*b")',
      ".exists(x, x)",
      ".map(x, x)",
      "has(",
      "size(",
      "__proto__",
      "constructor",
      "9223372036854775807",
      "0u",
      "b''",
      'r"\\\\"',
      "\u0000",
      "\ud800",
      "//",
    ],
    read: (text) => {
      const compiled = compileCel(text, { variables: { payload: "dyn" } });
      if (!compiled.ok) return false;
      const [one, other] = [compiled.evaluate({ payload: PAYLOAD }), compiled.evaluate({ payload: PAYLOAD })];
      must(same(one, other), "two evaluations differ");
      return true;
    },
  },
  templates: {
    source: /\/flow\/templates\//,
    corpus: [
      '{"id": "{{payload.n}}", "text": "order {{ payload.text }} of {{steps.a.output.list}}"}',
      '["{{payload.nested.a.b}}", {"{{x}}": "{{payload.odd-name}}"}]',
      '"{{payload.list.2.id}}{{payload.n}}"',
      '"{{{payload.n}}}"',
    ],
    words: [
      "{{",
      "}}",
      "{",
      "}",
      "payload",
      "steps",
      ".",
      "n",
      "a",
      "output",
      "__proto__",
      "constructor",
      " ",
      '"',
      ",",
      "[",
      "]",
      "0",
      "-1",
      "{{payload}}",
      "\\",
      "\\u0000",
      "\\ud800",
      "{{payload.list.length}}",
    ],
    read: (text) => {
      const value = parsed(text);
      if (value === undefined) return false;
      const problems = checkTemplate(value, ["payload", "steps"]);
      const one = renderTemplate(value, SCOPE);
      must(same(one, renderTemplate(value, SCOPE)), "two renderings differ");
      must(!("polluted" in {}), "a prototype was changed");
      return problems.length === 0 && one.ok;
    },
  },
  cron: {
    source: /\/platform\/time\//,
    corpus: [
      "*/15 9-17 * * 1-5",
      "30 2 * * *",
      "0 0 L * *",
      "0 0 15W * *",
      "0 12 * * MON#1",
      "0 0 29 2 +MON",
      "@daily",
      "10-50/7 1,3,5 1-31/2 JAN-DEC SUN",
      "30 * * * * *",
    ],
    words: [
      "*",
      "/",
      "-",
      ",",
      "?",
      "L",
      "W",
      "#",
      "0",
      "1",
      "59",
      "60",
      "31",
      "7",
      "MON",
      "FEB",
      "@hourly",
      " ",
      "  ",
      "+",
      "999999999",
      "\u0000",
      "1-",
      "/0",
      "L-3",
    ],
    read: (text) => {
      if (cronIssues(text, "America/New_York").length > 0) return false;
      const times = nextFires(text, "America/New_York", NOW, 3);
      must(
        times.every((time, nth) => time > (times[nth - 1] ?? NOW)),
        `the times do not rise: ${times}`,
      );
      return true;
    },
  },
  queries: {
    source: /\/query-language\//,
    corpus: [
      "status:failed,timed_out -tag:noise job:send-mail version:12",
      'payload.user.id:42 payload:{"a": 1} duration:>30s',
      'error:"ECONNRESET" is:unhandled since:24h until:2026-11-01',
      "tag.customer:ann attempts:>=2 cost:<0.5",
      "alice -bob",
    ],
    words: [
      "status:",
      "-",
      ":",
      ",",
      '"',
      "{",
      "}",
      "payload.",
      "tag.",
      ">",
      "<=",
      "since:",
      "24h",
      "\\",
      " ",
      "failed",
      "1e400",
      "--",
      "(",
      ")",
      "\u0000",
      "is:",
      "__proto__",
      "[",
      "null",
      "\u202e",
    ],
    read: (text) => {
      const one = parseQuery(text);
      if (!one.ok) {
        must(one.issues.length > 0, "refused without an issue");
        return false;
      }
      const conditions = one.terms.map(({ condition }) => condition);
      const again = parseQuery(printQuery(conditions));
      must(again.ok, `its print is refused: ${printQuery(conditions)}`);
      if (again.ok)
        must(
          same(
            again.terms.map(({ condition }) => condition),
            conditions,
          ),
          "its print is another query",
        );
      return true;
    },
  },
  schemas: {
    source: /\/platform\/json-schema\//,
    corpus: [
      '{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "minimum": 1}}, "additionalProperties": false}',
      '{"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}',
      '{"anyOf": [{"type": "string", "pattern": "^(a|b)*c$"}, {"not": {"const": null}}], "unevaluatedProperties": false}',
      '{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"n": ["text"]}, "if": {"minProperties": 1}, "then": {"maxProperties": 9}}',
      '{"patternProperties": {"^t": {"maxLength": 4}}, "propertyNames": {"minLength": 1}, "contains": {"enum": [1]}, "uniqueItems": true}',
      '{"prefixItems": [{"type": "number"}, true], "items": {"$dynamicRef": "#x"}, "$dynamicAnchor": "x", "multipleOf": 0.01}',
    ],
    words: [
      '{"',
      '": ',
      "}",
      "[",
      "]",
      ",",
      '"$ref"',
      '"#"',
      '"#/$defs/a"',
      '"type"',
      '"null"',
      "true",
      "false",
      "null",
      "0",
      "-1",
      "1e308",
      '"pattern"',
      '"(a*)*b"',
      '"\\\\p{L}+"',
      '"$id"',
      '"http://x/"',
      '"oneOf"',
      '"allOf"',
      '"items"',
      '"__proto__"',
      '"format"',
      '"date-time"',
    ],
    read: (text) => {
      const schema = parsed(text);
      if (schema === undefined) return false;
      const compiled = compileJsonSchema(schema);
      if (!compiled.ok) return false;
      for (const value of [PAYLOAD, [1, "a", null], "aaab", 7, null]) {
        must(same(compiled.validate(value), compiled.validate(value)), "two validations differ");
      }
      return true;
    },
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
