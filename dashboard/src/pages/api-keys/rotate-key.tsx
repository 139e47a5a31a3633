import type { ApiKey, RotateApiKey, RotatedApiKey } from "@millrace/contract/access/api-keys";
import { type CSSProperties, useId, useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { formatDuration } from "../../parts/format.ts";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";
import { KeySecret } from "./key-secret.tsx";

/** Slider stops in minutes, wider apart towards the end; the last is one week. */
const GRACES = [0, 5, 15, 30, 60, 240, 1_440, 4_320, 10_080];
const AT_FIRST = GRACES.indexOf(15);

/** Rotates a key. The old secret stays valid for a grace period, so callers keep working. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const [stop, setStop] = useState(AT_FIRST);
  const [secret, setSecret] = useState<string>();
  const grace = GRACES[stop] ?? 0;
  const rotate = useChange<{ id: string; body: RotateApiKey }, RotatedApiKey>({
    run: ({ id, body }, send) => send("POST", `/v1/api-keys/${id}/rotate`, body),
    invalidates: ["/v1/api-keys"],
  });
  const confirm = async () => {
    if (!apiKey) return;
    const { key } = await rotate.mutateAsync({ id: apiKey.id, body: { grace_period_minutes: grace } });
    rotate.reset(); // the secret is kept only in the dialog that shows it
    setSecret(key);
  };
  return (
    <>
      <ConfirmDialog
        open={apiKey !== undefined}
        onClose={onClose}
        title={`Rotate ${apiKey?.name ?? "key"}?`}
        action="Rotate key"
        onConfirm={confirm}
      >
        <p>A new secret is created and shown once. The name, scopes and other settings do not change.</p>
        <Grace stop={stop} onChange={setStop} />
      </ConfirmDialog>
      <KeySecret secret={secret} title="API key rotated" onClose={() => setSecret(undefined)} />
    </>
  );
}

function Grace({ stop, onChange }: { stop: number; onChange: (stop: number) => void }) {
  const id = useId();
  const grace = GRACES[stop] ?? 0;
  const words = grace === 0 ? "none" : formatDuration(grace * 60_000);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="flex justify-between font-medium text-ink text-xs">
        Grace period of the old secret <output className="font-mono">{words}</output>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={GRACES.length - 1}
        value={stop}
        aria-valuetext={words}
        style={{ "--at": stop / (GRACES.length - 1) } as CSSProperties}
        onChange={(event) => onChange(Number(event.target.value))}
      />
      <p className="text-ink-3 text-xs">
        {grace === 0
          ? "Requests with the old secret fail immediately."
          : "Both secrets work until then. Deploy the new one in the meantime."}
      </p>
    </div>
  );
}
