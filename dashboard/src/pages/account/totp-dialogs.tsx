import type { TotpSecret } from "@millrace/contract/access/account";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { Code, CurrentPassword } from "./change-password.tsx";

type EnableProps = { secret: TotpSecret; onClose: () => void };

/** The first code proves that the app has the secret. */
export function EnableTotp({ secret: { secret, uri }, onClose }: EnableProps) {
  const enable = useChange<FormData>({
    run: (form, send) =>
      send("POST", "/v1/account/totp/enable", { password: form.get("password"), totp: form.get("totp"), secret }),
    done: "Two-factor codes enabled",
    invalidates: ["/v1/account"],
    onDone: onClose,
  });
  return (
    <FormDialog
      width="narrow"
      onClose={onClose}
      title="Enable two-factor codes"
      description="Enter the secret in your authenticator app, then the code that it shows."
      action="Enable codes"
      onSubmit={(form) => enable.mutateAsync(form)}
    >
      <TextField label="Secret" readOnly mono="small" value={secret} />
      <a className="self-start text-xs underline" href={uri}>
        Open in an app on this device
      </a>
      <CurrentPassword />
      <Code />
    </FormDialog>
  );
}

export function DisableTotp({ onClose }: { onClose: () => void }) {
  const disable = useChange<FormData>({
    run: (form, send) =>
      send("POST", "/v1/account/totp/disable", { password: form.get("password"), totp: form.get("totp") }),
    done: "Two-factor codes disabled",
    invalidates: ["/v1/account"],
    onDone: onClose,
  });
  return (
    <FormDialog
      danger
      width="narrow"
      onClose={onClose}
      title="Disable two-factor codes"
      description="Then the password alone is enough to sign in."
      action="Disable codes"
      onSubmit={(form) => disable.mutateAsync(form)}
    >
      <CurrentPassword />
      <Code />
    </FormDialog>
  );
}
