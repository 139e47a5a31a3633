import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { StreamLanguage, type StringStream } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin } from "@codemirror/view";

export type CodeLanguage = "json" | "yaml" | "cel" | "template" | "env" | "text";

export function languageOf(language: CodeLanguage): Extension {
  return {
    json: () => [json(), templates],
    yaml: () => [yaml(), templates],
    cel: () => StreamLanguage.define({ token: celToken }),
    template: () => templates,
    env: () => StreamLanguage.define({ token: envToken }),
    text: () => [],
  }[language]();
}

/** Marks `{{payload.order.id}}`, also within strings. */
const matcher = new MatchDecorator({
  regexp: /\{\{[^{}]*\}\}/g,
  decoration: Decoration.mark({ class: "cm-template" }),
});

const templates = ViewPlugin.define(
  (view: EditorView) => ({
    marks: matcher.createDeco(view) as DecorationSet,
    update(update) {
      this.marks = matcher.updateDeco(update, this.marks);
    },
  }),
  { decorations: ({ marks }) => marks },
);

const CEL_WORDS = /^(?:true|false|null|in)\b/;
const CEL_TEXT = /^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/;
const CEL_SIGNS = /^(?:&&|\|\||[=!<>]=|[<>!?:+\-*/%])/;

function celToken(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(CEL_TEXT)) return "string";
  if (stream.match(CEL_WORDS)) return "keyword";
  if (stream.match(/^\d+(?:\.\d+)?u?/)) return "number";
  if (stream.match(/^[A-Za-z_]\w*(?=\()/)) return "variableName.function";
  if (stream.match(/^[A-Za-z_]\w*/)) return "propertyName";
  if (stream.match(CEL_SIGNS)) return "operator";
  stream.next();
  return null;
}

function envToken(stream: StringStream): string | null {
  if (stream.sol() && stream.match(/^\s*#.*/)) return "comment";
  if (stream.sol() && stream.match(/^\s*(?:export\s+)?[A-Za-z_]\w*(?=\s*=)/)) return "propertyName";
  if (stream.match(/^\s*=/)) return "operator";
  stream.skipToEnd();
  return "string";
}
