import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { StatusMark } from "../../../parts/state/status-mark.tsx";
import type { Column } from "../../../parts/table/table-columns.tsx";
import { Time } from "../../../parts/time.tsx";
import { conditionOf, KIND_WORDS } from "./kind-words.ts";

const NONE = <span className="text-ink-3">–</span>;

const MARKS: Record<AlertRule["state"], { status: string; label: string }> = {
  ok: { status: "ok", label: "OK" },
  pending: { status: "pending", label: "Pending" },
  firing: { status: "unhealthy", label: "Firing" },
};

export function isSilenced({ silenced_until }: AlertRule): boolean {
  return silenced_until !== null && Date.parse(silenced_until) > Date.now();
}

/** A silenced rule that fires is shown as firing. */
export function RuleState({ rule, as }: { rule: AlertRule; as?: "badge" }) {
  const { enabled, state } = rule;
  const mark = !enabled
    ? { status: "disabled" }
    : state === "ok" && isSilenced(rule)
      ? { status: "paused", label: "Silenced" }
      : MARKS[state];
  return <StatusMark {...mark} {...(as && { as })} />;
}

/** `targetOf`: the name of what a rule is limited to. */
export function ruleColumns(targetOf: (rule: AlertRule) => string): Column<AlertRule>[] {
  return [
    {
      id: "state",
      header: "State",
      width: "110px",
      isFixed: true,
      narrow: "meta",
      cell: (rule) => <RuleState rule={rule} />,
    },
    {
      id: "name",
      header: "Rule",
      width: "minmax(160px, 1.4fr)",
      isFixed: true,
      narrow: "title",
      cell: ({ name }) => <span className="block truncate">{name}</span>,
    },
    { id: "kind", header: "Kind", width: "140px", narrow: "meta", cell: ({ kind }) => KIND_WORDS[kind].label },
    {
      id: "condition",
      header: "Fires",
      width: "minmax(160px, 1.2fr)",
      cell: (rule) => <span className="block truncate text-ink-2">{conditionOf(rule)}</span>,
    },
    {
      id: "target",
      header: "Applies to",
      width: "minmax(140px, 1fr)",
      hidePriority: 2,
      cell: (rule) => <span className="block truncate text-ink-2">{targetOf(rule)}</span>,
    },
    { id: "since", header: "Since", width: "110px", narrow: "end", cell: ({ state_since: at }) => <Time at={at} /> },
    {
      id: "silenced",
      header: "Silenced until",
      width: "130px",
      hidePriority: 3,
      cell: (rule) => (isSilenced(rule) && rule.silenced_until ? <Time at={rule.silenced_until} /> : NONE),
    },
    {
      id: "channels",
      header: "Channels",
      width: "84px",
      align: "end",
      hidePriority: 1,
      cell: ({ channel_ids }) => channel_ids.length,
    },
  ];
}
