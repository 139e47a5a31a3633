import { type ReactNode, useId, useState } from "react";
import { FormDialog } from "../form/form-dialog.tsx";

type Props = {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Verb and object: "Cancel 3 runs". */
  action: string;
  children: ReactNode;
  danger?: boolean;
  /** Text to type before confirming, for example the name of the deleted object. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  /** Why confirming is disabled, for example while a preview loads. */
  disabledReason?: string | undefined;
};

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  action,
  children,
  danger,
  typed,
  onConfirm,
  disabledReason,
}: Props) {
  const [entered, setEntered] = useState("");
  const isTyped = typed === undefined || entered === typed;
  const close = () => {
    setEntered("");
    onClose();
  };
  return (
    <FormDialog
      open={open}
      width="narrow"
      onClose={close}
      title={title}
      action={action}
      back={action.startsWith("Cancel") ? "Close" : "Cancel"}
      danger={danger}
      disabledReason={disabledReason ?? (isTyped ? undefined : `Type ${typed} to confirm.`)}
      onSubmit={() => onConfirm().then(close)}
    >
      <div className="flex flex-col gap-2 text-ink-2">{children}</div>
      {typed !== undefined && <Typed typed={typed} entered={entered} onChange={setEntered} />}
    </FormDialog>
  );
}

/** For destructive actions that must not happen by accident. */
export function TypedConfirm(props: Props & { typed: string }) {
  return <ConfirmDialog danger {...props} />;
}

type TypedProps = { typed: string; entered: string; onChange: (text: string) => void };

function Typed({ typed, entered, onChange }: TypedProps) {
  const field = useId();
  return (
    <label htmlFor={field} className="flex flex-col gap-1.5">
      <span>
        Type <code className="rounded-xs bg-surface px-1 font-mono text-xs">{typed}</code> to confirm
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
