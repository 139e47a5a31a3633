import { type AccessDecision, type CheckAccess, POLICY_RESOURCES } from "@millrace/contract/access/policies";
import { SCOPES } from "@millrace/contract/access/scopes";
import { type FormEvent, useId } from "react";
import { useChange } from "../../api/use-api.ts";
import { CodeBlock } from "../../parts/code/code-block.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { type Choice, ChoiceField } from "../../parts/form/choice-field.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { StatusMark } from "../../parts/state/status-mark.tsx";
import { useSearchParams } from "../../shell/place/place.ts";
import { codeOf } from "../code-of.ts";
import { useSubjects } from "./use-subjects.ts";

const ACTIONS = SCOPES.map((scope): Choice => [scope, scope]);
const KINDS = POLICY_RESOURCES.filter((kind) => kind !== "*").map((kind): Choice => [kind, kind.replaceAll("_", " ")]);

type Question = { who: string; can: string; on: string; id: string };

/** Access check evaluated by the service. The question is kept in the URL. */
export function Simulator() {
  const [{ who = "", can = "runs:read", on = "", id = "" }, change] = useSearchParams();
  const check = useChange<CheckAccess, AccessDecision>({
    run: (body, send) => send<AccessDecision>("POST", "/v1/access/check", body),
  });
  const body = {
    action: can,
    ...(who && { subject: who }),
    ...(on && { resource_type: on }),
    ...(on && id && { resource_id: id }),
  } as CheckAccess;
  const set = (changes: Partial<Question>) => {
    check.reset();
    change(changes, { replace: true });
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <QuestionForm
        question={{ who, can, on, id }}
        onChange={set}
        isBusy={check.isPending}
        onSubmit={() => void check.mutateAsync(body).catch(() => {})} // the error is shown below
      />
      <section aria-label="Decision" className="flex min-w-0 flex-col gap-4">
        <div role="status" className="card flex min-h-32 flex-col gap-3 p-4">
          {check.data ? (
            <Decision decision={check.data} />
          ) : (
            <p className="text-ink-2">Shows whether a request would be allowed, and why.</p>
          )}
        </div>
        {check.error && <ErrorState as="banner" error={check.error} />}
        <CodeBlock title="As code" code={codeOf({ method: "POST", path: "/v1/access/check", body }).curl} />
      </section>
    </div>
  );
}

type FieldProps = { question: Question; onChange: (changes: Partial<Question>) => void };
type FormProps = FieldProps & { isBusy: boolean; onSubmit: () => void };

function QuestionForm({ question, onChange, isBusy, onSubmit }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="card flex min-w-0 flex-col gap-4 p-4" onSubmit={submit}>
      <Who question={question} onChange={onChange} />
      <ChoiceField label="Action" choices={ACTIONS} value={question.can} onChange={(can) => onChange({ can })} />
      <OnWhat question={question} onChange={onChange} />
      <Button type="submit" kind="primary" className="self-start" busy={isBusy}>
        Check access
      </Button>
    </form>
  );
}

function Who({ question, onChange }: FieldProps) {
  const subjects = useSubjects();
  const list = useId();
  return (
    <>
      <TextField
        label="Subject"
        hint="role:<name>, member:<subject> or api_key:<id>. Leave empty to check your own access."
        list={list}
        mono="small"
        placeholder="you"
        value={question.who}
        onChange={(who) => onChange({ who })}
      />
      <datalist id={list}>
        {subjects.map((subject) => (
          <option key={subject.id} value={subject.id} label={subject.label} />
        ))}
      </datalist>
    </>
  );
}

function OnWhat({ question: { on, id }, onChange }: FieldProps) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <ChoiceField
        label="Resource"
        choices={[["", "Project"], ...KINDS]}
        value={on}
        onChange={(kind) => onChange({ on: kind })}
      />
      <TextField
        label="Id"
        hint={on === "" ? "Select a resource type first" : undefined}
        mono="small"
        disabled={on === ""}
        value={id}
        onChange={(given) => onChange({ id: given })}
      />
    </div>
  );
}

const BY: Record<string, string> = {
  scope: "Scope",
  allow_policy: "Allow policy",
  deny_policy: "Deny policy",
  environment: "Environment of the API key",
  nothing: "No scope or policy grants it",
  internal_secret: "Internal secret",
};

function Decision({ decision }: { decision: AccessDecision }) {
  return (
    <>
      <div>
        <StatusMark
          status={decision.allowed ? "ok" : "failed"}
          label={decision.allowed ? "Allowed" : "Denied"}
          as="badge"
        />
      </div>
      <p>{decision.reason}</p>
      <Facts
        facts={[
          ["Decided by", BY[decision.decided_by] ?? decision.decided_by],
          ["Policy", decision.policy_id && <Id key="p" value={decision.policy_id} head={8} tail={8} />],
          ["Granted by", decision.granted_by?.join(" → ")],
        ]}
      />
    </>
  );
}
