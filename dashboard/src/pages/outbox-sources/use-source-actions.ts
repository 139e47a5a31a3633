import type { OutboxSource, RetriedRows } from "@millrace/contract/events/outbox-sources";
import { useChange } from "../../api/use-api.ts";
import { plural } from "../../parts/format.ts";

/** Disables or enables a source, and drains its refused rows again. */
export function useSourceActions() {
  const invalidates = ["/v1/outbox-sources"];
  const toggle = useChange<OutboxSource, OutboxSource>({
    run: ({ id, enabled }, send) => send("PATCH", `/v1/outbox-sources/${id}`, { enabled: !enabled }),
    done: (_, { name, enabled }) => (enabled ? `${name} disabled. Its rows wait in its database.` : `${name} enabled`),
    undo: (source) => ({ ...source, enabled: !source.enabled }),
    invalidates,
  });
  const retry = useChange<OutboxSource, RetriedRows>({
    run: ({ id }, send) => send("POST", `/v1/outbox-sources/${id}/retry`, {}),
    done: ({ retried }) => (retried === 0 ? "No refused rows" : `${plural(retried, "refused row")} retried`),
    invalidates,
  });
  return { toggle, retry };
}
