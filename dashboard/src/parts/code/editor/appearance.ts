import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const color = (token: string) => `var(--color-${token})`;

const highlights = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: color("accent") },
  { tag: [tags.string, tags.special(tags.string)], color: color("success-ink") },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: color("retrying-ink") },
  { tag: tags.function(tags.variableName), color: color("ink"), fontWeight: "600" },
  { tag: [tags.punctuation, tags.operator, tags.separator, tags.bracket], color: color("ink-2") },
  { tag: [tags.comment, tags.meta], color: color("ink-3") },
]);

const theme = EditorView.theme({
  "&": { color: color("ink"), backgroundColor: "transparent", fontSize: "12px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "20px", maxHeight: "56vh", minHeight: "inherit" },
  ".cm-content": { padding: "6px 0", caretColor: color("ink") },
  ".cm-line": { padding: "0 10px" },
  ".cm-gutters": { backgroundColor: "transparent", color: color("ink-3"), border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "30px", padding: "0 4px 0 8px" },
  ".cm-placeholder": { color: color("ink-3") },
  ".cm-template": { color: color("accent"), fontWeight: "600" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: color("selected"), outline: "none" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "transparent" },
  ".cm-tooltip": {
    backgroundColor: color("raised"),
    border: `1px solid ${color("border")}`,
    borderRadius: "8px",
    boxShadow: "var(--shadow-float)",
    color: color("ink"),
    overflow: "hidden",
    zIndex: "60",
  },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "200px", padding: "4px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "4px 8px", borderRadius: "6px" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { background: color("selected"), color: color("ink") },
  ".cm-completionDetail": { color: color("ink-3"), fontFamily: "var(--font-sans)", fontStyle: "normal" },
  ".cm-tooltip-lint": { padding: "2px 0" },
  ".cm-diagnostic-error": { borderLeft: `3px solid ${color("failed")}`, padding: "3px 8px" },
  // The default underline is a data: image.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: `underline wavy 1px ${color("failed")}`,
    textUnderlineOffset: "3px",
  },
});

export const appearance = [theme, syntaxHighlighting(highlights)];
