import type { AlertRulePreview } from "@millrace/contract/alerts/alert-rules";
import { History } from "lucide-react";
import { useChange } from "../../../api/use-api.ts";
import { Sparkline } from "../../../parts/chart/sparkline.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { formatDuration, plural } from "../../../parts/format.ts";
import { ErrorState } from "../../../parts/state/error-state.tsx";
import { Time } from "../../../parts/time.tsx";
import { formatValue } from "./kind-words.ts";
import { bodyOf, type RuleDraft } from "./rule-draft.ts";

const MAX_LISTED = 5;

/** When a rule with these settings would have fired in the last week. */
export function RulePreview({ draft }: { draft: RuleDraft }) {
  // The name and the channels do not affect the preview.
  const body = { ...bodyOf(draft), name: "Preview", channel_ids: [], runbook: null };
  const preview = useChange<typeof body, AlertRulePreview>({
    run: (given, send) => send("POST", "/v1/alert-rules/preview", given),
  });
  const isCurrent = JSON.stringify(preview.variables) === JSON.stringify(body);
  return (
    <section aria-label="Preview" className="flex flex-col gap-2 rounded-sm border bg-surface p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-ink-2">When would it have fired?</p>
        <Button
          size="small"
          icon={<History size={14} />}
          busy={preview.isPending}
          onClick={() => void preview.mutateAsync(body).catch(() => {})}
        >
          Preview last week
        </Button>
      </div>
      {isCurrent && preview.error && <ErrorState as="banner" error={preview.error} />}
      {isCurrent && preview.data && <Previewed kind={draft.kind} preview={preview.data} />}
    </section>
  );
}

function Previewed({ kind, preview }: { kind: RuleDraft["kind"]; preview: AlertRulePreview }) {
  const { value, would_fire, has_history, alert_count, notification_count, alerts, points, from, until } = preview;
  const now = value === null ? "There is nothing to measure now" : `It measures ${formatValue(kind, value)} now`;
  const span = formatDuration(Date.parse(until) - Date.parse(from));
  return (
    <div role="status" className="flex flex-col gap-2">
      <p>
        {now}, and would {would_fire ? "" : "not "}fire.{" "}
        {has_history
          ? alert_count === 0
            ? `It would not have fired in the last ${span}.`
            : `It would have fired ${plural(alert_count, "time")} in the last ${span}, with ${plural(notification_count, "notification")} per channel.`
          : "This kind of rule has no history."}
      </p>
      {points.length > 1 && (
        <Sparkline
          kind="bars"
          width={480}
          height={40}
          className="h-10 w-full text-accent"
          values={points.map((point) => point.value ?? 0)}
          label={`Measured by hour, at most ${formatValue(kind, Math.max(...points.map((point) => point.value ?? 0)))}`}
        />
      )}
      <ul className="flex flex-col gap-1 text-ink-2 text-xs">
        {alerts
          .slice(-MAX_LISTED)
          .reverse()
          .map(({ fired_at, resolved_at, value: at }) => (
            <li key={fired_at}>
              Fired <Time at={fired_at} />
              {at !== null && ` at ${formatValue(kind, at)}`},{" "}
              {resolved_at === null
                ? "and still fires"
                : `resolved after ${formatDuration(Date.parse(resolved_at) - Date.parse(fired_at))}`}
            </li>
          ))}
      </ul>
    </div>
  );
}
