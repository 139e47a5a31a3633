/** Completions at the caret, and the text range they replace. */
export type Suggestions = { from: number; to: number; options: Suggestion[] };
export type Suggestion = { label: string; insert: string; hint?: string };
export type Suggest = (text: string, caret: number) => Suggestions | undefined;
