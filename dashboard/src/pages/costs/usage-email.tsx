import type { UsageEmailPreferences } from "@millrace/contract/analytics/usage";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { apiKey, useApi, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { usePlace } from "../../shell/place/place.ts";

const PATH = "/v1/usage/email-preferences";
type Wanted = { monthly_usage_email: boolean; email: string | null };

/** Optimistic switch; reverted when the request fails, or by "Undo". */
export function UsageEmail() {
  const { data, error, refetch } = useApi<UsageEmailPreferences>(PATH);
  const { project } = usePlace();
  const client = useQueryClient();
  const disabledReason = useDisabledReason("usage:write");
  const show = (wanted: Wanted) =>
    client.setQueryData<UsageEmailPreferences>(apiKey(project, PATH), (before) => before && { ...before, ...wanted });
  const save = useChange<Wanted>({ run: (wanted, send) => send("PUT", PATH, wanted), invalidates: [PATH] });
  const change = (wanted: Wanted, isUndo = false) => {
    if (!data) return;
    const before = { monthly_usage_email: data.monthly_usage_email, email: data.email };
    show(wanted);
    save.mutate(wanted, {
      onError: () => show(before),
      onSuccess: () => {
        const title = wanted.monthly_usage_email ? "Usage e-mail turned on" : "Usage e-mail turned off";
        toast({ key: PATH, title, ...(!isUndo && { action: { label: "Undo", onClick: () => change(before, true) } }) });
      },
    });
  };
  return (
    <section aria-label="Usage e-mail" className="card flex min-w-0 flex-col gap-3 p-4">
      <h2 className="font-medium">Monthly usage e-mail</h2>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {data ? (
        <Choice key={data.email} data={data} disabledReason={disabledReason} onChange={change} />
      ) : (
        <SkeletonLines lines={2} />
      )}
    </section>
  );
}

type Props = { data: UsageEmailPreferences; disabledReason: string | undefined; onChange: (wanted: Wanted) => void };

function Choice({ data, disabledReason, onChange }: Props) {
  const [email, setEmail] = useState(data.email ?? "");
  const isOn = data.monthly_usage_email;
  const address = email.trim() === "" ? null : email.trim();
  const unless = disabledReason ?? (!isOn && address === null ? "Enter an e-mail address." : undefined);
  return (
    <>
      <p className="text-ink-2">
        A summary of this project's usage, sent on the first of each month. Each API key or member has its own setting.
      </p>
      <TextField
        label="E-mail address"
        hint={data.is_mail_configured ? undefined : "No mail server is configured, so nothing is sent."}
        type="email"
        value={email}
        placeholder="you@example.com"
        onChange={setEmail}
      />
      <div className="flex items-center gap-2">
        <Switch
          label="Send the monthly usage e-mail"
          isOn={isOn}
          disabledReason={unless}
          onSwitch={() => onChange({ monthly_usage_email: !isOn, email: address })}
        />
        <span>{isOn ? "On" : "Off"}</span>
        {isOn && address !== data.email && (
          <Button
            size="small"
            className="ml-auto"
            disabledReason={disabledReason ?? (address === null ? "Enter an e-mail address." : undefined)}
            onClick={() => onChange({ monthly_usage_email: true, email: address })}
          >
            Save address
          </Button>
        )}
      </div>
    </>
  );
}

type SwitchProps = { label: string; isOn: boolean; disabledReason: string | undefined; onSwitch: () => void };

function Switch({ label, isOn, disabledReason, onSwitch }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-disabled={disabledReason !== undefined || undefined}
      title={disabledReason}
      onClick={() => disabledReason === undefined && onSwitch()}
      className="relative h-5 w-9 rounded-full border border-border-strong bg-hover transition-colors duration-100 aria-checked:border-accent aria-checked:bg-accent"
    >
      <span
        className={`absolute top-[2px] size-3.5 rounded-full ${isOn ? "left-[18px] bg-bg" : "left-[2px] bg-ink-2"}`}
      />
    </button>
  );
}
