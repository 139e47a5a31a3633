import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorState } from "./error-state.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Verb and object: "Cancel 3 runs". */
  action: string;
  children: ReactNode;
  danger?: boolean;
  /** What must be typed before it can be done, such as the name of what is deleted. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  /** Why it cannot be done yet, such as a preview that is still counted. */
  refusal?: string | undefined;
};

/** Asks before something that cannot be taken back. It stays open, with the error, when it fails. */
export function ConfirmDialog({ open, onClose, title, action, children, danger, typed, onConfirm, refusal }: Props) {
  const [entered, setEntered] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const field = useId();
  const isTyped = typed === undefined || entered === typed;
  const close = () => {
    setEntered("");
    setError(undefined);
    onClose();
  };
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    if (!isTyped || refusal !== undefined || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} title={title} width="narrow">
      <form className="flex flex-col gap-4" onSubmit={(event) => void confirm(event)}>
        <div className="flex flex-col gap-2 text-ink-2">{children}</div>
        {typed !== undefined && (
          <label htmlFor={field} className="flex flex-col gap-1.5">
            <span>
              Type <code className="rounded-xs bg-surface px-1 font-mono text-xs">{typed}</code> to go on
            </span>
            <input
              id={field}
              className="field font-mono"
              value={entered}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setEntered(event.target.value)}
            />
          </label>
        )}
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Back</Button>
          <Button
            type="submit"
            kind={danger ? "danger" : "primary"}
            busy={isBusy}
            refusal={refusal ?? (isTyped ? undefined : `Type ${typed} first.`)}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** For what must not be done by a slip of the hand. */
export function TypedConfirm(props: Props & { typed: string }) {
  return <ConfirmDialog danger {...props} />;
}
