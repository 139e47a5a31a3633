import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { TextField } from "../../parts/form/text-field.tsx";

type Props = { needsCode: boolean; onClose: () => void };

export function ChangePassword({ needsCode, onClose }: Props) {
  const change = useChange<FormData>({
    run: (form, send) => {
      const [password, new_password] = [form.get("password"), form.get("new_password")];
      const totp = needsCode && { totp: form.get("totp") };
      return send("POST", "/v1/account/password", { password, new_password, ...totp });
    },
    done: "Password changed",
    invalidates: ["/v1/account"],
    onDone: onClose,
  });
  return (
    <FormDialog
      width="narrow"
      onClose={onClose}
      title="Change password"
      description="All other sessions end."
      action="Change password"
      onSubmit={(form) => change.mutateAsync(form)}
    >
      <CurrentPassword />
      <TextField
        label="New password"
        hint="At least 12 characters."
        name="new_password"
        type="password"
        required
        minLength={12}
        maxLength={200}
        autoComplete="new-password"
      />
      {needsCode && <Code />}
    </FormDialog>
  );
}

export function CurrentPassword() {
  return (
    <TextField
      label="Current password"
      name="password"
      type="password"
      required
      maxLength={200}
      autoComplete="current-password"
    />
  );
}

export function Code() {
  return (
    <TextField
      label="Code from the authenticator app"
      name="totp"
      required
      maxLength={20}
      inputMode="numeric"
      autoComplete="one-time-code"
    />
  );
}
