import type { AlertRule, AlertRuleTest } from "@millrace/contract/alerts/alert-rules";
import { useRouter } from "@tanstack/react-router";
import { useChange } from "../../../api/use-api.ts";
import { plural } from "../../../parts/format.ts";
import { toast } from "../../../parts/overlay/toasts.tsx";
import { usePlace } from "../../../shell/place/place.ts";
import { formatValue } from "./kind-words.ts";

const invalidates = ["/v1/alert-rules", "/v1/alerts"];

/** The actions on a rule that need no dialog. */
export function useRuleActions() {
  const notifyTest = useTestToast();
  const toggle = useChange<AlertRule, AlertRule>({
    run: ({ id, enabled }, send) => send("PATCH", `/v1/alert-rules/${id}`, { enabled: !enabled }),
    done: ({ name, enabled }) => `${name} ${enabled ? "enabled" : "disabled"}`,
    undo: (rule) => ({ ...rule, enabled: !rule.enabled }),
    invalidates,
  });
  const test = useChange<AlertRule, AlertRuleTest>({
    run: ({ id }, send) => send("POST", `/v1/alert-rules/${id}/test`),
    onDone: ({ value, would_fire, delivery_ids }, { kind }) =>
      notifyTest(
        `It would ${would_fire ? "" : "not "}fire now`,
        value === null ? "There is nothing to measure." : `Measured ${formatValue(kind, value)}.`,
        delivery_ids,
      ),
  });
  const endSilence = useChange<AlertRule, AlertRule>({
    run: ({ id }, send) => send("POST", `/v1/alert-rules/${id}/silence`, { duration_secs: 0 }),
    done: ({ name }) => `${name} is no longer silenced`,
    invalidates,
  });
  return { toggle, test, endSilence };
}

/** Says what a test sent, with a link to its outcome. */
export function useTestToast() {
  const { at } = usePlace();
  const { history } = useRouter();
  return (title: string, detail: string, delivery_ids: readonly string[]) => {
    const [only] = delivery_ids;
    const page = delivery_ids.length === 1 ? `webhook-deliveries/${only}` : "webhook-deliveries";
    toast({
      title,
      detail: `${detail} ${delivery_ids.length === 0 ? "No channel was notified." : `${plural(delivery_ids.length, "test notification")} sent.`}`,
      ...(delivery_ids.length > 0 && { action: { label: "View delivery", onClick: () => history.push(at(page)) } }),
    });
  };
}
