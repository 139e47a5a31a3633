import type { FormEvent, ReactNode } from "react";
import { Dialog } from "../overlay/dialog.tsx";
import { ErrorState } from "../state/error-state.tsx";
import { Button } from "./button.tsx";
import { useSubmit } from "./use-submit.ts";

export type FormDialogProps = {
  open?: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  width?: "narrow" | "normal" | "wide";
  children: ReactNode;
  /** Verb and object: "Create role". */
  action: string;
  /** Label of the dismiss button. */
  back?: string;
  danger?: boolean | undefined;
  /** Why submitting is disabled. */
  disabledReason?: string | undefined;
  /** Receives the named fields. */
  onSubmit: (form: FormData) => Promise<unknown>;
};

/** A form in a dialog. It stays open with the error when submitting fails; the caller closes it. */
export function FormDialog({ open = true, onClose, title, description, width = "normal", ...form }: FormDialogProps) {
  const { error, isBusy, send, forget } = useSubmit(form.onSubmit);
  const leave = () => {
    forget();
    onClose();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (form.disabledReason === undefined && !isBusy) void send(new FormData(event.currentTarget));
  };
  return (
    <Dialog open={open} onClose={leave} title={title} description={description} width={width}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        {form.children}
        {error !== undefined && <ErrorState error={error} as="banner" />}
        <div className="flex justify-end gap-2">
          <Button onClick={leave}>{form.back ?? "Cancel"}</Button>
          <Button
            type="submit"
            kind={form.danger ? "danger" : "primary"}
            busy={isBusy}
            disabledReason={form.disabledReason}
          >
            {form.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
