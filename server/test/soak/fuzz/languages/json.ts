import { Buffer } from "node:buffer";
import { type ParsedJson, parseJson } from "../../../../src/platform/json/parse-json.ts";
import { type Language, must, parsed, same } from "./language.ts";

/** Small, so that mutations reach them. */
const LIMITS = { depth: 8, nodes: 60, key_bytes: 24 };

/** Bodies of requests. */
export const json: Language = {
  corpus: [
    '{"order": {"id": 7, "lines": [{"sku": "a-1", "price": 12.5e0}, null, true]}, "note": "caf\u00e9 \ud83d\ude00"}',
    '[1, -0, 0.5, 1e2, 9007199254740991, -1.25E-3, "\\u00e9\\n\\"", []]',
    '{"a": {"b": {"c": [[[["deep"]]]]}}, "constructor": 1, "a b": 2}',
    ' {"id":"0190a5e4-4001-7123-9e4a-123456789012","\\u0061":1,"b":[{}, {"c":false}]}\r\n\t',
    '{"digits": "12345678901234567890", "n": 123456789012345, "list": [1,2,3,4,5,6,7,8,9,10]}',
  ],
  words: [
    ...["{", "}", "[", "]", ",", ":", '"', "\\", "\\u", '{"a":', '"b":1,', '"\\u0061":2,', '"__proto__":{},', '"":0,'],
    ...["\\u0000", "\\ud800", "\\udc00", "\\ud83d\\ude00", "\ud800", "\u0000", "\ufeff", "\u2028", "\u0085", "\u000b"],
    ...["1e400", "1e-400", "-0", "-", "01", "1.", ".5", "+1", "0x1", "123456789012345678", "0.1000000000000000055"],
    ...[
      "9007199254740993",
      "1E5",
      "nul",
      "null",
      "true",
      "NaN",
      "Infinity",
      "//",
      "/*",
      "'a'",
      " ",
      "\n",
      "[[[[",
      "]]]]",
    ],
  ],
  read: (text) => {
    const read = parseJson(text, LIMITS);
    // A lone surrogate has no UTF-8: as bytes it is another text.
    if (text.isWellFormed())
      must(same(read, parseJson(Buffer.from(text), LIMITS)), "text and bytes are read differently");
    checkOutcome(text, read);
    return read.ok;
  },
};

function checkOutcome(text: string, read: ParsedJson): void {
  const value = parsed(text);
  if (read.ok) {
    const stored = JSON.stringify(read.value);
    must(same(read.value, value), "another value than the text has");
    must(same(parseJson(stored, LIMITS), read), "refused, or another value, when it is read again");
    must(!/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(stored), "accepted text that cannot be stored");
  } else {
    must((read.problem.kind === "malformed") === (value === undefined), `${read.problem.kind}: JSON.parse disagrees`);
    must(read.problem.location.startsWith("body") && read.problem.message !== "", "refused without a reason");
    must(JSON.stringify(read.problem).isWellFormed(), "a reason that cannot be sent");
  }
}
