import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { Bell, BellOff, Pause, Pencil, Play, Send, Trash2 } from "lucide-react";
import { useAll } from "../../../api/use-all.ts";
import { Actor } from "../../../parts/actor.tsx";
import { AsCode } from "../../../parts/code/as-code.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { Id } from "../../../parts/id.tsx";
import { Link } from "../../../parts/link.tsx";
import { Time } from "../../../parts/time.tsx";
import { usePlace } from "../../../shell/place/place.ts";
import { codeOf } from "../../code-of.ts";
import { conditionOf, formatSecs, formatValue, KIND_WORDS } from "./kind-words.ts";
import { isSilenced, RuleState } from "./rule-columns.tsx";
import { draftOf } from "./rule-draft.ts";
import { RulePreview } from "./rule-preview.tsx";
import { Runbook } from "./runbook.tsx";
import { useRuleActions } from "./use-rule-actions.ts";

export type RuleVerb = "edit" | "silence" | "delete";
type Props = {
  rule: AlertRule;
  target: string;
  disabledReason: string | undefined;
  onAction: (verb: RuleVerb) => void;
};

/** A rule with its actions, and a preview of when it would have fired. */
export function RulePeek({ rule, target, disabledReason, onAction }: Props) {
  const { at } = usePlace();
  return (
    <div className="flex flex-col gap-5 p-4">
      <RuleFacts rule={rule} target={target} />
      <RuleButtons {...{ rule, target, disabledReason, onAction }} />
      <Runbook kind={rule.kind} text={rule.runbook} />
      <RulePreview draft={draftOf(rule)} />
      <div className="flex flex-wrap items-center gap-3">
        <Link href={at("alerts", { rule_id: rule.id })} className="font-medium text-accent hover:underline">
          View alerts
        </Link>
        <AsCode
          about="Alert rule"
          code={codeOf(
            { method: "GET", path: `/v1/alert-rules/${rule.id}` },
            { cli: `millrace alerts test ${rule.id}` },
          )}
        />
      </div>
    </div>
  );
}

function RuleFacts({ rule, target }: Pick<Props, "rule" | "target">) {
  const channels = useAll<{ id: string; name: string }>("/v1/alert-channels", rule.channel_ids.length > 0);
  const { value, for_secs, resolve_after_secs, repeat_every_secs: repeat } = rule;
  return (
    <Facts
      facts={[
        ["State", <RuleState key="s" rule={rule} as="badge" />],
        ["Since", <Time key="i" at={rule.state_since} />],
        ["Value", value === null ? null : formatValue(rule.kind, value)],
        ["Silenced until", isSilenced(rule) && rule.silenced_until && <Time key="u" at={rule.silenced_until} />],
        ["Kind", KIND_WORDS[rule.kind].label],
        ["Fires", conditionOf(rule)],
        ["Applies to", target],
        ["Fires after", for_secs > 0 && formatSecs(for_secs)],
        ["Resolves after", resolve_after_secs > 0 && formatSecs(resolve_after_secs)],
        ["Notifies again", repeat === null ? "never" : `every ${formatSecs(repeat)}`],
        ["Channels", rule.channel_ids.map((id) => channels?.get(id)?.name ?? "…").join(", ") || "none"],
        ["Created by", <Actor key="c" name={rule.created_by} id={rule.created_by_id} />],
        ["Id", <Id key="d" value={rule.id} head={8} tail={12} />],
      ].map(([name, shown]) => [name as string, shown === false ? null : shown])}
    />
  );
}

function RuleButtons({ rule, disabledReason, onAction }: Props) {
  const { toggle, test, endSilence } = useRuleActions();
  const reason = { disabledReason };
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={<Pencil size={14} />} {...reason} onClick={() => onAction("edit")}>
        Edit
      </Button>
      <Button icon={<Send size={14} />} busy={test.isPending} {...reason} onClick={() => test.mutate(rule)}>
        Test
      </Button>
      {isSilenced(rule) ? (
        <Button icon={<Bell size={14} />} {...reason} onClick={() => endSilence.mutate(rule)}>
          End silence
        </Button>
      ) : (
        <Button icon={<BellOff size={14} />} {...reason} onClick={() => onAction("silence")}>
          Silence
        </Button>
      )}
      <Button
        icon={rule.enabled ? <Pause size={14} /> : <Play size={14} />}
        {...reason}
        onClick={() => toggle.mutate(rule)}
      >
        {rule.enabled ? "Disable" : "Enable"}
      </Button>
      <Button icon={<Trash2 size={14} />} {...reason} onClick={() => onAction("delete")}>
        Delete
      </Button>
    </div>
  );
}
