import { buildEdited } from "../differential/build-mutated.ts";
import type { Edit } from "../differential/mutations.ts";

/**
 * The current tree with blocks of four runs, and searches that scan only the two nearest runs: a few dozen runs then need
 * the whole index, as millions do in production.
 */
export const SMALL_BLOCKS: Edit[] = [
  {
    file: "features/runs/search/index-runs.ts",
    from: "const RUNS_PER_BLOCK = 128;",
    to: "const RUNS_PER_BLOCK = 4;",
  },
  { file: "features/runs/search/search-runs.ts", from: "const NEAREST = 256;", to: "const NEAREST = 2;" },
];

export function buildWithSmallBlocks(name = "small-blocks", edits: Edit[] = []): Promise<string> {
  return buildEdited([...SMALL_BLOCKS, ...edits], name);
}
