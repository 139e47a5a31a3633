import { useRouter } from "@tanstack/react-router";
import { plural } from "../../parts/format.ts";
import { toast } from "../../parts/toasts.tsx";
import { usePlace } from "../../shell/place.ts";
import type { BulkResult } from "./bulk-runs.ts";

/** What came of a bulk action: a word with a way to all of it, or that way at once. The selection is given up. */
export function useBulkResult(clear: () => void) {
  const { at } = usePlace();
  const { history } = useRouter();
  const open = (id: string) => history.push(at(`batch-operations/${id}`));
  return {
    openBatch: (id: string) => {
      clear();
      open(id);
    },
    say: (verb: string, { done, failed, batch_id }: BulkResult) => {
      clear();
      toast({
        tone: failed > 0 ? "warn" : "good",
        title: `${verb} ${plural(done, "run")}`,
        detail: failed > 0 ? `${plural(failed, "run")} could not be: see why.` : undefined,
        action: { label: "See the result", onClick: () => open(batch_id) },
      });
    },
  };
}
