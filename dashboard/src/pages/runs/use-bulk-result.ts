import { useRouter } from "@tanstack/react-router";
import { plural } from "../../parts/format.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePlace } from "../../shell/place.ts";
import type { BulkResult } from "./bulk-runs.ts";

/** What came of a bulk action: a word with a way to all of it, or that way at once. The selection is given up. */
export function useBulkResult(clear: () => void) {
  const { at } = usePlace();
  const { history } = useRouter();
  const open = (ids: readonly string[]) =>
    history.push(ids.length === 1 ? at(`batch-operations/${ids[0]}`) : at("batch-operations"));
  return {
    /** One batch on its page, several in their list: the newest stand on top of it. */
    openBatches: (ids: readonly string[]) => {
      clear();
      open(ids);
    },
    say: (verb: string, { done, failed, batch_ids }: BulkResult) => {
      clear();
      toast({
        tone: failed > 0 ? "warn" : "good",
        title: `${verb} ${plural(done, "run")}`,
        detail: failed > 0 ? `${plural(failed, "run")} failed. View the result for details.` : undefined,
        action: { label: "View result", onClick: () => open(batch_ids) },
      });
    },
  };
}
