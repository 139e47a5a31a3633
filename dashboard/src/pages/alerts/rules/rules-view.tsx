import type { AlertRule } from "@millrace/contract/alerts/alert-rules";
import { BellRing, Plus, RefreshCw } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../../api/me.ts";
import { useApiList } from "../../../api/use-api.ts";
import { AsCode } from "../../../parts/code/as-code.tsx";
import { Button } from "../../../parts/form/button.tsx";
import { IconButton } from "../../../parts/form/icon-button.tsx";
import { Inspector } from "../../../parts/overlay/inspector.tsx";
import { EmptyState } from "../../../parts/state/empty-state.tsx";
import { ListPage } from "../../../parts/table/list-page.tsx";
import { useCommands } from "../../../shell/command-menu/commands.ts";
import { usePeek } from "../../../shell/use-peek.ts";
import { codeOf } from "../../code-of.ts";
import { ViewSwitch } from "../view-switch.tsx";
import { DeleteRule } from "./delete-rule.tsx";
import { ruleColumns } from "./rule-columns.tsx";
import { RuleDialog } from "./rule-dialog.tsx";
import { RulePeek, type RuleVerb } from "./rule-peek.tsx";
import { SilenceRule } from "./silence-rule.tsx";
import { useTargetName } from "./use-target-name.ts";

/** Alert rules with their states. */
export function RulesView() {
  const list = useApiList<AlertRule>("/v1/alert-rules");
  const disabledReason = useDisabledReason("alerts:write");
  const { peek, peeked, toggle, close } = usePeek(list.rows, "/v1/alert-rules");
  const [action, setAction] = useState<{ verb: RuleVerb; rule: AlertRule } | "create">();
  const targetOf = useTargetName();
  const columns = useMemo(() => ruleColumns(targetOf), [targetOf]);
  useCommands([{ label: "Create alert rule", run: () => disabledReason ?? setAction("create") }]);
  const create = (
    <Button
      kind="primary"
      icon={<Plus size={15} />}
      disabledReason={disabledReason}
      onClick={() => setAction("create")}
    >
      Create rule
    </Button>
  );
  return (
    <ListPage
      title="Alerts"
      label="Alert rules"
      actions={
        <>
          <IconButton
            label="Refresh"
            icon={<RefreshCw size={15} className={list.isFetching ? "animate-spin" : ""} />}
            onClick={() => void list.refetch()}
          />
          <AsCode
            about="Alert rules"
            code={codeOf({ method: "GET", path: "/v1/alert-rules" }, { cli: "millrace alerts list" })}
          />
          {create}
        </>
      }
      toolbar={<ViewSwitch view="rules" />}
      list={list}
      columns={columns}
      current={peek}
      onPeek={toggle}
      empty={
        <EmptyState icon={<BellRing size={20} />} title="No alert rules yet" action={create}>
          A rule says when someone is notified: when too many runs fail, none completes, runs wait too long, or an
          endpoint is down.
        </EmptyState>
      }
    >
      <Inspector open={peeked !== undefined} onClose={close} label="Alert rule" title={peeked?.name ?? ""}>
        {peeked && (
          <RulePeek
            key={peeked.id}
            rule={peeked}
            target={targetOf(peeked)}
            disabledReason={disabledReason}
            onAction={(verb) => setAction({ verb, rule: peeked })}
          />
        )}
      </Inspector>
      <RuleAction action={action} onClose={() => setAction(undefined)} onDeleted={close} />
    </ListPage>
  );
}

type ActionProps = {
  action: { verb: RuleVerb; rule: AlertRule } | "create" | undefined;
  onClose: () => void;
  onDeleted: () => void;
};

function RuleAction({ action, onClose, onDeleted }: ActionProps) {
  if (action === undefined) return null;
  if (action === "create") return <RuleDialog rule={undefined} onClose={onClose} />;
  const { verb, rule } = action;
  if (verb === "edit") return <RuleDialog rule={rule} onClose={onClose} />;
  if (verb === "silence") return <SilenceRule rule={rule} onClose={onClose} />;
  return <DeleteRule rule={rule} onClose={onClose} onDeleted={onDeleted} />;
}
