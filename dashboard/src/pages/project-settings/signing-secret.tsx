import type { Project, WebhookSecret } from "@millrace/contract/projects/projects";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { TextField } from "../../parts/form/text-field.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";

/** The secret that signs dispatches and webhooks. It is shown only when it is new. */
export function SigningSecret({ project }: { project: Project }) {
  const [isRotating, setRotating] = useState(false);
  const [minutes, setMinutes] = useState("60");
  const [secret, setSecret] = useState<string>();
  const noWrite = useDisabledReason("projects:write");
  const rotate = useChange<void, WebhookSecret>({
    run: (_, send) =>
      send("POST", `/v1/projects/${project.id}/webhook-secret/rotate`, { grace_period_minutes: Number(minutes) }),
  });
  const confirm = async () => {
    setSecret((await rotate.mutateAsync()).webhook_secret);
    rotate.reset(); // the secret is kept only in the dialog that shows it
  };
  return (
    <section aria-label="Signing secret" className="flex max-w-2xl flex-col gap-3">
      <p className="text-ink-2">
        Requests to your endpoints and webhook receivers are signed with it, so that they can verify who sent them. The
        current secret is stored encrypted and cannot be shown again.
      </p>
      <div>
        <Button disabledReason={noWrite} onClick={() => setRotating(true)}>
          Rotate signing secret
        </Button>
      </div>
      <ConfirmDialog
        open={isRotating}
        onClose={() => setRotating(false)}
        title="Rotate the signing secret?"
        action="Rotate secret"
        onConfirm={confirm}
      >
        <p>A new secret is created and shown once. During the grace period requests carry both signatures.</p>
        <TextField
          label="Grace period (minutes)"
          type="number"
          min={0}
          max={10_080}
          required
          value={minutes}
          onChange={setMinutes}
        />
      </ConfirmDialog>
      <SecretOnce
        secret={secret}
        title="New signing secret"
        variable="MILLRACE_WEBHOOK_SECRET"
        onClose={() => setSecret(undefined)}
      />
    </section>
  );
}
