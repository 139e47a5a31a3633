import { checkTemplate } from "../../../../src/flow/templates/check-template.ts";
import { renderTemplate } from "../../../../src/flow/templates/render-template.ts";
import { type Language, must, PAYLOAD, parsed, same } from "./language.ts";

const SCOPE = { payload: PAYLOAD, steps: { a: { output: PAYLOAD, status: "completed" } } };

/** Payloads of steps. */
export const templates: Language = {
  corpus: [
    '{"id": "{{payload.n}}", "text": "order {{ payload.text }} of {{steps.a.output.list}}"}',
    '["{{payload.nested.a.b}}", {"{{x}}": "{{payload.odd-name}}"}]',
    '"{{payload.list.2.id}}{{payload.n}}"',
    '"{{{payload.n}}}"',
  ],
  words: [
    ...["{{", "}}", "{", "}", "payload", "steps", ".", "n", "a", "output", "__proto__", "constructor", " "],
    ...['"', ",", "[", "]", "0", "-1", "{{payload}}", "\\", "\\u0000", "\\ud800", "{{payload.list.length}}"],
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
};
