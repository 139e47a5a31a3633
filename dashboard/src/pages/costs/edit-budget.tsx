import type { ProjectBudget, SetProjectBudget } from "@millrace/contract/project-budget";
import { type FormEvent, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { Segments } from "../../parts/tabs.tsx";
import { codeOf } from "../code-of.ts";

const ACTIONS = [
  { id: "notify" as const, label: "Tell only" },
  { id: "block" as const, label: "Hold runs back" },
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
    outdates: ["/v1/project-budget"],
    onDone: onClose,
  });
  const body = bodyOf(amount, action, thresholds);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof body !== "string") save.mutate(body);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Monthly budget"
      description="For the calendar month (UTC), all environments together."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <FormField label="Amount in US dollars" hint="Empty: no budget.">
          {(ids) => (
            <input
              {...ids}
              inputMode="decimal"
              className="field font-mono"
              value={amount}
              onChange={(event) => setAmount(event.target.value)}
            />
          )}
        </FormField>
        <div className="flex flex-col gap-1.5">
          <span className="font-medium text-xs">When it is passed</span>
          <Segments label="When it is passed" value={action} options={ACTIONS} onChange={setAction} />
        </div>
        <FormField
          label="Thresholds in percent"
          hint="Reaching one is told once a month, by webhook and in the audit log."
        >
          {(ids) => (
            <input
              {...ids}
              className="field font-mono"
              value={thresholds}
              onChange={(event) => setThresholds(event.target.value)}
            />
          )}
        </FormField>
        {typeof body !== "string" && (
          <CodeBlock title="As code" code={codeOf({ method: "PUT", path: "/v1/project-budget", body }).curl} />
        )}
        {save.error && <ErrorState as="banner" error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button
            type="submit"
            kind="primary"
            busy={save.isPending}
            refusal={typeof body === "string" ? body : undefined}
          >
            Save budget
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What to send, or what is wrong. */
function bodyOf(amount: string, action: SetProjectBudget["action"], thresholds: string): SetProjectBudget | string {
  const usd = amount.trim() === "" ? null : Number(amount.trim().replace(",", "."));
  if (usd !== null && !(usd >= 0 && usd <= 1_000_000_000)) return "The amount is a number of dollars, 0 or more.";
  const percents = thresholds
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  if (percents.some((each) => !Number.isInteger(each) || each < 1 || each > 1_000))
    return "Thresholds are whole percents from 1 to 1000.";
  if (new Set(percents).size !== percents.length) return "Each threshold may stand there once.";
  return {
    monthly_budget_microusd: usd === null ? null : Math.round(usd * 1_000_000),
    ...(action && { action }),
    thresholds: percents,
  };
}
