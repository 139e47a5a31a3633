import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import { asProblem } from "../../api/problem.ts";
import { Button } from "../../parts/form/button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";

type Props = {
  path: "/v1/session" | "/v1/members/invitations/accept" | "/v1/account/reset";
  /** Sent along with the fields. */
  body?: Record<string, string>;
  action: string;
  newPassword?: boolean;
  hint?: string;
  children?: ReactNode;
  onSignedIn: () => void;
};

/** Signs in with a password, and asks for a code if the account needs one. */
export function PasswordForm({ path, body, action, newPassword, hint, children, onSignedIn }: Props) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [needsCode, setNeedsCode] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "");
    setBusy(true);
    setFailure(undefined);
    try {
      await call("POST", path, { body: { ...body, ...Object.fromEntries(fields) } });
      onSignedIn();
    } catch (error) {
      const isCodeMissing = asProblem(error).code === "totp_required" && !needsCode;
      if (isCodeMissing) setNeedsCode(true);
      else setFailure(error);
      setBusy(false);
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void send(event)}>
      {children}
      <TextField
        label="Password"
        name="password"
        type="password"
        required
        minLength={newPassword ? 12 : 1}
        autoComplete={newPassword ? "new-password" : "current-password"}
        hint={hint}
      />
      {needsCode && (
        <TextField label="Code" name="totp" inputMode="numeric" autoComplete="one-time-code" required mono />
      )}
      {failure !== undefined && <ErrorState error={failure} as="banner" />}
      <Button kind="primary" type="submit" busy={isBusy}>
        {action}
      </Button>
    </form>
  );
}
