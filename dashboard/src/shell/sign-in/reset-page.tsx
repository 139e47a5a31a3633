import { PasswordForm } from "./password-form.tsx";

/** The token of a reset link. It stands after the #, which is sent to no server. */
export function readReset(): string | undefined {
  const { pathname, hash } = location;
  return pathname === "/reset" && hash.length > 1 ? hash.slice(1) : undefined;
}

/** Sets a new password for a local account; then the person signs in with it. */
export function ResetPage({ token }: { token: string }) {
  return (
    <main className="grid min-h-dvh place-items-center bg-surface px-4 py-12">
      <div className="w-full max-w-[400px]">
        <h1 className="mb-6 text-center font-semibold text-xl tracking-[-0.01em]">Set a new password</h1>
        <section aria-label="Account" className="card p-5">
          <PasswordForm
            path="/v1/account/reset"
            body={{ token }}
            action="Set password"
            newPassword
            hint="At least 12 characters. All your sessions end, and codes are turned off until you turn them on again."
            onSignedIn={() => location.assign("/")}
          />
        </section>
      </div>
    </main>
  );
}
