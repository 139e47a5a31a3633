import { compileCel } from "../../../../src/platform/cel/cel.ts";
import { type Language, must, PAYLOAD, same } from "./language.ts";

/** CEL. */
export const conditions: Language = {
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
    ...["&&", "||", "!", "==", "in", ".", "(", ")", "[", "]", "{", "}", "?", ":", "payload", "n", "1", "1e9"],
    ...["-", "%", "*", '"a"', "'", "null", "true", '.matches("(a*)*b")', ".exists(x, x)", ".map(x, x)", "has("],
    ...["size(", "__proto__", "constructor", "9223372036854775807", "0u", "b''", 'r"\\\\"', "\u0000", "\ud800"],
    ...["//"],
  ],
  read: (text) => {
    const compiled = compileCel(text, { variables: { payload: "dyn" } });
    if (!compiled.ok) return false;
    const [one, other] = [compiled.evaluate({ payload: PAYLOAD }), compiled.evaluate({ payload: PAYLOAD })];
    must(same(one, other), "two evaluations differ");
    return true;
  },
};
