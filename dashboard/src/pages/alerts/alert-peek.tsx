import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import type { Alert } from "@millrace/contract/alerts/alerts";
import { useAll } from "../../api/use-all.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { Link } from "../../parts/link.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { Time } from "../../parts/time.tsx";
import { usePlace } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useJobs } from "../use-jobs.ts";
import { ALERT_MARKS } from "./alert-columns.tsx";
import { linksOf } from "./alert-links.ts";
import { formatValue, KIND_WORDS } from "./rules/kind-words.ts";
import { Runbook } from "./rules/runbook.tsx";

const REASONS: Record<NonNullable<Alert["resolved_because"]>, string> = {
  recovered: "it recovered",
  rule_disabled: "the rule was disabled",
  rule_deleted: "the rule was deleted",
};

/** What was measured, what it is about, and what to do. */
export function AlertPeek({ alert }: { alert: Alert }) {
  const { at } = usePlace();
  const rules = useAll<AlertRule>("/v1/alert-rules");
  const jobs = useJobs();
  const rule = rules?.get(alert.rule_id);
  const job = rule?.job_id ? jobs?.get(rule.job_id) : undefined;
  return (
    <div className="flex flex-col gap-5 p-4">
      <p>{alert.summary}</p>
      <Facts
        facts={[
          ["Status", <StatusMark key="s" {...ALERT_MARKS[alert.status]} as="badge" />],
          ["Kind", KIND_WORDS[alert.kind].label],
          ["Value", alert.value === null ? null : formatValue(alert.kind, alert.value)],
          ["Fired", <Time key="f" at={alert.fired_at} />],
          [
            "Resolved",
            alert.resolved_at && (
              <span key="r">
                <Time at={alert.resolved_at} />
                {alert.resolved_because && `, because ${REASONS[alert.resolved_because]}`}
              </span>
            ),
          ],
          ["Notifications", alert.notifications === 0 ? "None: the rule was silenced" : alert.notifications],
          ["Id", <Id key="i" value={alert.id} head={8} tail={12} />],
        ]}
      />
      <Section title="About">
        <ul className="flex flex-col gap-1">
          {linksOf(alert, rule, job?.slug).map(({ label, page, search }) => (
            <li key={`${page} ${label}`}>
              <Link href={at(page, search)} className="break-words text-accent hover:underline">
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </Section>
      <Runbook kind={alert.kind} text={rule?.runbook ?? null} />
      <div className="flex flex-wrap items-center gap-3">
        {rule ? (
          <Link
            href={at("alerts", { tab: "rules", peek: rule.id })}
            className="font-medium text-accent hover:underline"
          >
            View rule
          </Link>
        ) : (
          rules && <span className="text-ink-3">The rule was deleted.</span>
        )}
        <AsCode about="Alert" code={codeOf({ method: "GET", path: `/v1/alerts/${alert.id}` })} />
      </div>
    </div>
  );
}
