import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import type { Suggest } from "../suggestions.ts";
import { appearance } from "./appearance.ts";
import { findLocation } from "./find-location.ts";
import { type CodeLanguage, languageOf } from "./languages.ts";
import { replaceWithoutStyles } from "./replace-without-styles.ts";

/** `location` is a path such as `payload.items[0].id`; empty: the whole text. */
export type Issue = { location: string; message: string; from?: number; to?: number };

export type EditorOptions = {
  text: string;
  language: CodeLanguage;
  labelId: string;
  descriptionId: string;
  placeholder?: string | undefined;
  isReadOnly?: boolean | undefined;
  autoFocus?: boolean | undefined;
  /** Completions at the caret. */
  suggest?: Suggest | undefined;
  onChange: (text: string) => void;
};

export type Editor = {
  setText: (text: string) => void;
  setIssues: (issues: readonly Issue[]) => void;
  focus: () => void;
  destroy: () => void;
};

/** Marks changes made by the page, so that they are not reported back to it. */
const fromPage = Annotation.define<boolean>();

export function createEditor(parent: HTMLElement, options: EditorOptions): Editor {
  const view = new EditorView({ parent, state: EditorState.create({ doc: options.text, extensions: all(options) }) });
  if (options.autoFocus && !parent.closest("[role=dialog]")?.querySelector("input:focus, select:focus")) view.focus();
  return {
    setText: (text) => {
      const before = view.state.doc.toString();
      if (before === text) return;
      view.dispatch({ changes: { from: 0, to: before.length, insert: text }, annotations: fromPage.of(true) });
    },
    setIssues: (issues) => {
      if (issues.length > 0) view.contentDOM.setAttribute("aria-invalid", "true");
      else view.contentDOM.removeAttribute("aria-invalid");
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state, issues)));
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function all(options: EditorOptions): Extension[] {
  const { language, labelId, descriptionId, isReadOnly = false, onChange } = options;
  return [
    language === "cel" || language === "template" ? [] : lineNumbers(),
    history(),
    indentUnit.of("  "),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    languageOf(language),
    autocompletion({ override: [completionsOf(options)], icons: false, interactionDelay: 0 }),
    // Tab moves the focus, unless completions are open.
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-labelledby": labelId,
      "aria-describedby": descriptionId,
      tabindex: "0", // browsers know that the text is focusable, tools that check accessibility do not
      spellcheck: "false",
    }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.some((each) => each.annotation(fromPage))) return;
      onChange(update.state.doc.toString());
    }),
    replaceWithoutStyles,
    EditorState.readOnly.of(isReadOnly),
    EditorState.phrases.of({ Completions: "Suggestions" }),
    options.placeholder ? placeholder(options.placeholder) : [],
    appearance,
  ];
}

/** Completions open while a name or a text is typed, and anywhere with Ctrl+Space. */
function completionsOf({ suggest }: EditorOptions) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    const found = suggest?.(text, pos);
    if (!found || found.options.length === 0) return null;
    const isTyping = found.from < pos;
    if (!explicit && !isTyping) return null;
    return {
      from: found.from,
      to: found.to,
      filter: false,
      options: found.options.map(({ label, insert, hint }) => ({
        label,
        apply: insert,
        ...(hint && { detail: hint }),
      })),
    };
  };
}

function diagnosticsOf(state: EditorState, issues: readonly Issue[]): Diagnostic[] {
  const { length } = state.doc;
  return issues.flatMap(({ location, message, from, to }): Diagnostic[] => {
    const found = from === undefined ? findLocation(state, location) : { from, to: to ?? from + 1 };
    if (!found) return [];
    const start = Math.min(found.from, length);
    return [{ from: start, to: Math.max(start, Math.min(found.to, length)), severity: "error", message }];
  });
}
