import type { Account, TotpSecret } from "@millrace/contract/access/account";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { Facts } from "../../parts/facts.tsx";
import { Button } from "../../parts/form/button.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { Time } from "../../parts/time.tsx";
import { Card } from "./card.tsx";
import { ChangePassword } from "./change-password.tsx";
import { DisableTotp, EnableTotp } from "./totp-dialogs.tsx";

/** Shown only to people who sign in with a password. */
export function LocalAccount() {
  const { data: account, error, refetch } = useApi<Account>("/v1/account");
  const [open, setOpen] = useState<"password" | "disable">();
  const [secret, setSecret] = useState<TotpSecret>();
  const begin = useChange<void, TotpSecret>({
    run: (_, send) => send<TotpSecret>("POST", "/v1/account/totp"),
    onDone: setSecret,
  });
  const isEnabled = account?.totp_enabled === true;
  const close = () => {
    setOpen(undefined);
    setSecret(undefined);
  };
  const actions = account && (
    <>
      <Button size="small" onClick={() => setOpen("password")}>
        Change password
      </Button>
      <Button size="small" busy={begin.isPending} onClick={() => (isEnabled ? setOpen("disable") : begin.mutate())}>
        {isEnabled ? "Disable two-factor codes" : "Enable two-factor codes"}
      </Button>
    </>
  );
  return (
    <Card title="Local account" actions={actions}>
      {error && <ErrorState as="banner" error={error} onRetry={() => void refetch()} />}
      {account && (
        <Facts
          facts={[
            ["Name", account.name],
            ["E-mail address", account.email],
            ["Two-factor codes", isEnabled ? "required at sign-in" : "off"],
            ["Created", <Time key="c" at={account.created_at} />],
          ]}
        />
      )}
      {open === "password" && <ChangePassword needsCode={isEnabled} onClose={close} />}
      {open === "disable" && <DisableTotp onClose={close} />}
      {secret && <EnableTotp secret={secret} onClose={close} />}
    </Card>
  );
}
