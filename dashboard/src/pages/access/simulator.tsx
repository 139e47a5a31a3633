import { type AccessDecision, type CheckAccess, POLICY_RESOURCES } from "@millrace/contract/policies";
import { SCOPES } from "@millrace/contract/scopes";
import { type FormEvent, useId } from "react";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { FormField } from "../../parts/form-field.tsx";
import { Id } from "../../parts/id.tsx";
import { StatusMark } from "../../parts/status-mark.tsx";
import { useSearchParams } from "../../shell/place.ts";
import { codeOf } from "../code-of.ts";
import { useSubjects } from "./use-subjects.ts";

const KINDS = POLICY_RESOURCES.filter((kind) => kind !== "*");

/** "Can X do Y on Z?", answered by the service as it would decide. The question is in the address. */
export function Simulator() {
  const [{ who = "", can = "runs:read", on = "", id = "" }, change] = useSearchParams();
  const subjects = useSubjects();
  const list = useId();
  const check = useChange<CheckAccess, AccessDecision>({
    run: (body, send) => send<AccessDecision>("POST", "/v1/access/check", body),
  });
  const body = {
    action: can,
    ...(who && { subject: who }),
    ...(on && { resource_type: on }),
    ...(on && id && { resource_id: id }),
  } as CheckAccess;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    check.mutate(body);
  };
  const set = (changes: Record<string, string>) => {
    check.reset();
    change(changes, { replace: true });
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <form className="card flex flex-col gap-4 p-4" onSubmit={submit}>
        <FormField label="Can" hint="Empty: you. role:<name>, member:<subject> or api_key:<id>">
          {(ids) => (
            <input
              {...ids}
              list={list}
              className="field font-mono text-xs"
              placeholder="you"
              value={who}
              onChange={(event) => set({ who: event.target.value })}
            />
          )}
        </FormField>
        <datalist id={list}>
          {subjects.map((subject) => (
            <option key={subject.id} value={subject.id} label={subject.label} />
          ))}
        </datalist>
        <FormField label="do">
          {(ids) => (
            <select {...ids} className="field" value={can} onChange={(event) => set({ can: event.target.value })}>
              {SCOPES.map((scope) => (
                <option key={scope}>{scope}</option>
              ))}
            </select>
          )}
        </FormField>
        <div className="grid grid-cols-2 gap-3">
          <FormField label="on">
            {(ids) => (
              <select {...ids} className="field" value={on} onChange={(event) => set({ on: event.target.value })}>
                <option value="">the project</option>
                {KINDS.map((kind) => (
                  <option key={kind} value={kind}>
                    {kind.replaceAll("_", " ")}
                  </option>
                ))}
              </select>
            )}
          </FormField>
          <FormField label="Id" hint={on === "" ? "Choose a kind first" : undefined}>
            {(ids) => (
              <input
                {...ids}
                className="field font-mono text-xs"
                disabled={on === ""}
                value={id}
                onChange={(event) => set({ id: event.target.value })}
              />
            )}
          </FormField>
        </div>
        <Button type="submit" kind="primary" className="self-start" busy={check.isPending}>
          Check access
        </Button>
      </form>
      <section aria-label="Answer" className="flex flex-col gap-4">
        <div role="status" className="card flex min-h-32 flex-col gap-3 p-4">
          {check.data ? (
            <Decision decision={check.data} />
          ) : (
            <p className="text-ink-2">The service answers as it would decide on a request, and says why.</p>
          )}
        </div>
        {check.error && <ErrorState as="banner" error={check.error} />}
        <CodeBlock title="As code" code={codeOf({ method: "POST", path: "/v1/access/check", body }).curl} />
      </section>
    </div>
  );
}

const BY: Record<string, string> = {
  scope: "A scope",
  allow_policy: "A policy that allows it",
  deny_policy: "A policy that denies it",
  environment: "The environment that the key is bound to",
  nothing: "Nothing grants it",
  internal_secret: "The internal secret",
};

function Decision({ decision }: { decision: AccessDecision }) {
  return (
    <>
      <div>
        <StatusMark
          status={decision.allowed ? "ok" : "failed"}
          label={decision.allowed ? "Allowed" : "Refused"}
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
