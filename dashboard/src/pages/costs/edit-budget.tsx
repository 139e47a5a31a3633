import type { ProjectBudget, SetProjectBudget } from "@millrace/contract/analytics/project-budget";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { codeOf } from "../code-of.ts";

const ACTIONS = [
  { id: "notify" as const, label: "Notify only" },
  { id: "block" as const, label: "Block new runs" },
];

export function EditBudget({ budget, onClose }: { budget: ProjectBudget; onClose: () => void }) {
  const [amount, setAmount] = useState(
    budget.monthly_budget_microusd === null ? "" : String(budget.monthly_budget_microusd / 1_000_000),
  );
  const [action, setAction] = useState(budget.action);
  const [thresholds, setThresholds] = useState(budget.thresholds.join(", "));
  const save = useChange<SetProjectBudget>({
    run: (body, send) => send("PUT", "/v1/project-budget", body),
    done: "Budget saved",
    invalidates: ["/v1/project-budget"],
    onDone: onClose,
  });
  const body = bodyOf(amount, action, thresholds);
  return (
    <FormDialog
      onClose={onClose}
      title="Monthly budget"
      description="Per calendar month (UTC), across all environments."
      action="Save budget"
      disabledReason={typeof body === "string" ? body : undefined}
      onSubmit={async () => typeof body !== "string" && save.mutateAsync(body)}
    >
      <TextField
        label="Amount (USD)"
        hint="Leave empty for no budget."
        inputMode="decimal"
        mono
        value={amount}
        onChange={setAmount}
      />
      <div className="flex flex-col gap-1.5">
        <span className="font-medium text-xs">When exceeded</span>
        <Segments label="When exceeded" value={action} options={ACTIONS} onChange={setAction} />
      </div>
      <TextField
        label="Alert thresholds (%)"
        hint="Each threshold notifies once a month, by webhook and in the audit log."
        mono
        value={thresholds}
        onChange={setThresholds}
      />
      {typeof body !== "string" && (
        <CodeBlock title="As code" code={codeOf({ method: "PUT", path: "/v1/project-budget", body }).curl} />
      )}
    </FormDialog>
  );
}

/** Returns the request body or an error message. */
function bodyOf(amount: string, action: SetProjectBudget["action"], thresholds: string): SetProjectBudget | string {
  const usd = amount.trim() === "" ? null : Number(amount.trim().replace(",", "."));
  if (usd !== null && !(usd >= 0 && usd <= 1_000_000_000)) return "Enter an amount of 0 or more.";
  const percents = thresholds
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  if (percents.some((each) => !Number.isInteger(each) || each < 1 || each > 1_000))
    return "Enter thresholds as whole percentages from 1 to 1000.";
  if (new Set(percents).size !== percents.length) return "Remove duplicate thresholds.";
  return {
    monthly_budget_microusd: usd === null ? null : Math.round(usd * 1_000_000),
    ...(action && { action }),
    thresholds: percents,
  };
}
