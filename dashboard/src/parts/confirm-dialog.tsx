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
  const isTyped = typed === undefined || entered === typed;
  const close = () => {
    setEntered("");
    onClose();
  };
  const { error, isBusy, confirm, forget } = useConfirm(onConfirm, close);
  const leave = () => {
    forget();
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isTyped && refusal === undefined && !isBusy) void confirm();
  };
  return (
    <Dialog open={open} onClose={leave} title={title} width="narrow">
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <div className="flex flex-col gap-2 text-ink-2">{children}</div>
        {typed !== undefined && <Typed typed={typed} entered={entered} onChange={setEntered} />}
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex justify-end gap-2">
          <Button onClick={leave}>Back</Button>
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

function useConfirm(onConfirm: () => Promise<unknown>, onDone: () => void) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onDone();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, confirm, forget: () => setError(undefined) };
}

type TypedProps = { typed: string; entered: string; onChange: (text: string) => void };

function Typed({ typed, entered, onChange }: TypedProps) {
  const field = useId();
  return (
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
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** For what must not be done by a slip of the hand. */
export function TypedConfirm(props: Props & { typed: string }) {
  return <ConfirmDialog danger {...props} />;
}
