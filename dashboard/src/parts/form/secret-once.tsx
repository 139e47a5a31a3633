import { Download } from "lucide-react";
import { useId, useState } from "react";
import { CodeBlock } from "../code/code-block.tsx";
import { CopyButton } from "../code/copy-button.tsx";
import { downloadText } from "../code/download.ts";
import { Dialog } from "../overlay/dialog.tsx";
import { Button } from "./button.tsx";

type Props = {
  /** Undefined: closed. The secret is in the document only while the dialog is open. */
  secret: string | undefined;
  title: string;
  /** Variable name in a .env file. */
  variable: string;
  /** A command to test the secret. */
  test?: string;
  onClose: () => void;
};

/** Shows a secret once. Closes only after the user confirms that it is stored. */
export function SecretOnce({ secret, title, variable, test, onClose }: Props) {
  const [isStored, setStored] = useState(false);
  const box = useId();
  if (secret === undefined) return null;
  const close = () => {
    setStored(false);
    onClose();
  };
  return (
    <Dialog
      open
      firm
      onClose={close}
      title={title}
      description="Copy it now. It is shown only once."
      footer={
        <Button kind="primary" disabledReason={isStored ? undefined : "Confirm that you stored it."} onClick={close}>
          Done
        </Button>
      }
    >
      <div className="flex items-center gap-2 rounded-sm border bg-surface py-1 pr-1 pl-3">
        <code data-secret className="min-w-0 flex-1 break-all py-1 font-mono text-xs">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy the secret" />
        <Button
          size="small"
          icon={<Download size={13} />}
          onClick={() => downloadText("millrace.env", `${variable}=${secret}\n`)}
        >
          .env
        </Button>
      </div>
      {test && <CodeBlock title="Test it" code={test} />}
      <label htmlFor={box} className="flex items-center gap-2">
        <input
          id={box}
          type="checkbox"
          className="size-4"
          checked={isStored}
          onChange={(event) => setStored(event.target.checked)}
        />
        I stored it
      </label>
    </Dialog>
  );
}
