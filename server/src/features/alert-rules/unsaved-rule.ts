import { newId } from "../../platform/ids.ts";
import type { RuleSettings } from "./check-rule.ts";
import type { RuleRow } from "./queries.ts";

/** A rule that is not stored. Created at the epoch, so that it does not wait for its first window. */
export function unsavedRule(project_id: string, settings: RuleSettings): RuleRow {
  const ever = new Date(0).toISOString();
  return {
    ...settings,
    ...{ id: newId(), project_id, created_by: "", created_by_id: null, created_at: ever, updated_at: ever },
    ...{ state: "ok", state_since: ever, value: null, alert_id: null, silenced_until: null },
    ...{ healthy_since: null, notified_at: null, revision: 1 },
  };
}
