import { EditorSelection } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * Types over selected text. Chromium on its own keeps the color of what was there in a style attribute, which the Content
 * Security Policy forbids.
 */
export const replaceWithoutStyles = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event;
    const range = selectedRange();
    if (inputType !== "insertText" || data === null || view.composing || !range || range.collapsed) return false;
    const from = view.posAtDOM(range.startContainer, range.startOffset);
    const to = view.posAtDOM(range.endContainer, range.endOffset);
    event.preventDefault();
    const text = view.state.toText(data);
    const insert = () =>
      view.state.update({
        changes: { from, to, insert: text },
        selection: EditorSelection.cursor(from + text.length),
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler); // such as the one that puts quotes around a selection
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

/** Read from the DOM: the editor's state may lag behind. */
function selectedRange(): Range | undefined {
  const selection = document.getSelection();
  return selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
}
