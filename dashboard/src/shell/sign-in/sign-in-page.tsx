import { Eye, EyeOff } from "lucide-react";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { asProblem } from "../../api/problem.ts";
import { Button } from "../../parts/form/button.tsx";
import { FormField } from "../../parts/form/form-field.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { DemoInvitation } from "../demo/demo-invitation.tsx";
import { ThemeButton } from "../theme.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SignInProviders } from "./sign-in-providers.tsx";

type Props = { notice?: string | undefined; problem?: unknown; onSignedIn: () => void };

/** Sign-in with an identity provider, an API key or the internal secret; one-time links sign in automatically. */
export function SignInPage(props: Props) {
  return (
    <main className="grid min-h-dvh grid-rows-[1fr_auto] bg-surface">
      <div className="grid place-items-center px-4 py-12">
        <div className="w-full max-w-[400px]">
          <Welcome />
          <SignInProviders />
          <SignInForm {...props} />
          <details className="card mt-4 p-5">
            <summary className="cursor-pointer font-medium">Sign in with e-mail and password</summary>
            <div className="mt-4">
              <PasswordForm path="/v1/session" action="Sign in with password" onSignedIn={props.onSignedIn}>
                <TextField label="E-mail address" name="email" type="email" required autoComplete="username" />
              </PasswordForm>
            </div>
          </details>
          <DemoInvitation />
          <p className="mt-4 text-center text-ink-2">
            In development, the service prints a sign-in link in the terminal when it starts.
          </p>
        </div>
      </div>
      <footer className="flex items-center justify-center gap-4 pb-4 text-ink-2">
        <a className="hover:text-ink hover:underline" href="/docs">
          Documentation
        </a>
        <a className="hover:text-ink hover:underline" href="/openapi.json">
          OpenAPI
        </a>
        <ThemeButton />
      </footer>
    </main>
  );
}

function Welcome() {
  return (
    <div className="mb-6 flex flex-col items-center gap-4 text-center">
      <img src="/favicon.svg" alt="" width={44} height={44} />
      <div>
        <h1 className="font-semibold text-xl tracking-[-0.01em]">Sign in to Millrace</h1>
        <p className="mt-1 text-ink-2">Jobs and workflows that finish what they start.</p>
      </div>
    </div>
  );
}

function SignInForm({ notice, problem, onSignedIn }: Props) {
  const [credential, setCredential] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(problem);
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    const given = credential.trim();
    if (given === "" || isBusy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await call("POST", "/v1/session", { body: { [kindOf(given) ?? "api_key"]: given } });
      onSignedIn();
    } catch (error) {
      setFailure(withRemedy(error));
      setBusy(false);
    }
  };
  return (
    <form className="card flex flex-col gap-4 p-5" onSubmit={(event) => void signIn(event)} noValidate>
      {notice && (
        <p role="status" className="rounded-sm border bg-surface px-3 py-2 text-ink-2">
          {notice}
        </p>
      )}
      <CredentialField value={credential} onChange={setCredential} />
      {failure !== undefined && <ErrorState error={failure} as="banner" />}
      <Button kind="primary" type="submit" busy={isBusy}>
        Sign in
      </Button>
    </form>
  );
}

function CredentialField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [isShown, setShown] = useState(false);
  return (
    <FormField label="API key or internal secret" hint={HINTS[kindOf(value) ?? "none"]}>
      {(ids) => (
        <div className="flex gap-1">
          <input
            {...ids}
            // biome-ignore lint/a11y/noAutofocus: the page has this one field
            autoFocus
            className="field font-mono"
            type={isShown ? "text" : "password"}
            name="credential"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <IconButton
            label={isShown ? "Hide credential" : "Show credential"}
            pressed={isShown}
            icon={isShown ? <EyeOff size={16} /> : <Eye size={16} />}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </FormField>
  );
}

const HINTS = {
  none: "API keys start with svc_.",
  api_key: "Recognized as an API key.",
  internal_secret: "Recognized as the internal secret.",
};

function kindOf(text: string): "api_key" | "internal_secret" | undefined {
  const credential = text.trim();
  if (credential === "") return undefined;
  return credential.startsWith("svc_") ? "api_key" : "internal_secret";
}

function withRemedy(error: unknown): unknown {
  const problem = asProblem(error);
  if (problem.status !== 401) return problem;
  const remedy = "Check that you copied all of it. The key may also be revoked, rotated or expired.";
  return Object.assign(problem, { title: "Sign-in failed", remedy });
}
