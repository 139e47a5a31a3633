import { TextField } from "../../parts/form/text-field.tsx";
import { PasswordForm } from "./password-form.tsx";

/** The token of an invitation's link. It stands after the #, which is sent to no server. */
export function readInvitation(): string | undefined {
  const { pathname, hash } = location;
  return pathname === "/invitation" && hash.length > 1 ? hash.slice(1) : undefined;
}

/** Creates a local account, or joins with the one that the person has. */
export function InvitationPage({ token }: { token: string }) {
  return (
    <main className="grid min-h-dvh place-items-center bg-surface px-4 py-12">
      <div className="w-full max-w-[400px]">
        <h1 className="mb-6 text-center font-semibold text-xl tracking-[-0.01em]">Accept your invitation</h1>
        <section aria-label="Account" className="card p-5">
          <PasswordForm
            path="/v1/members/invitations/accept"
            body={{ token }}
            action="Accept and sign in"
            newPassword
            hint="At least 12 characters. If you already have an account, enter its password."
            onSignedIn={() => location.assign("/")}
          >
            <TextField label="Your name" name="name" maxLength={200} autoComplete="name" />
          </PasswordForm>
        </section>
      </div>
    </main>
  );
}
