import { suggestPaths } from "../../parts/code/editor/suggest-paths.ts";
import type { Suggestions } from "../../parts/code/suggestions.ts";

/** Completes names between `{{` and `}}` in JSON. */
export function suggestTemplates(text: string, caret: number, paths: readonly string[]): Suggestions | undefined {
  return suggestPaths(text, caret, paths, "json");
}
