import { Copy, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { IconButton } from "../../parts/form/icon-button.tsx";
import { SecretOnce } from "../../parts/form/secret-once.tsx";
import { ConfirmDialog, TypedConfirm } from "../../parts/overlay/confirm-dialog.tsx";
import { KeyHint } from "../../parts/overlay/key-hint.tsx";
import { Menu } from "../../parts/overlay/menu.tsx";
import { Sheet } from "../../parts/overlay/sheet.tsx";
import { toast } from "../../parts/overlay/toasts.tsx";
import { Shelf } from "./shelf.tsx";

type Open = "confirm" | "typed" | "secret" | "sheet" | undefined;

export function Actions() {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Shelf name="Button">
        <Button kind="primary">Replay run</Button>
        <Button icon={<RotateCcw size={15} />}>Replay</Button>
        <Button kind="quiet">Quiet</Button>
        <Button kind="danger" icon={<Trash2 size={15} />}>
          Delete job
        </Button>
        <Button busy>Working</Button>
        <Button disabled>Disabled</Button>
        <Button disabledReason="You need the runs:write scope for this.">Forbidden</Button>
        <Button size="small">Small</Button>
        <Button size="small" kind="primary">
          Small primary
        </Button>
      </Shelf>
      <Shelf name="IconButton">
        <IconButton label="Copy" icon={<Copy size={16} />} />
        <IconButton label="Pressed" pressed icon={<Copy size={16} />} />
        <IconButton label="Forbidden" disabledReason="Not allowed" icon={<Copy size={16} />} />
        <IconButton label="Small" size="small" icon={<Copy size={14} />} />
      </Shelf>
      <Shelf name="KeyHint">
        <KeyHint keys="mod+k" />
        <KeyHint keys="g r" />
        <KeyHint keys="enter" />
      </Shelf>
      <Shelf name="Menu, dialogs">
        <Menu
          label="More"
          trigger={<Button>Menu</Button>}
          items={[
            { label: "Replay", onSelect: () => {}, hint: "R" },
            { label: "With edits", onSelect: () => {}, disabledReason: "Not allowed" },
            { kind: "line" },
            { label: "Delete", danger: true, onSelect: () => {} },
          ]}
        />
        <Button onClick={() => setOpen("confirm")}>Confirm</Button>
        <Button onClick={() => setOpen("typed")}>Typed confirm</Button>
        <Button onClick={() => setOpen("secret")}>Secret once</Button>
        <Button onClick={() => setOpen("sheet")}>Sheet</Button>
        <AsCode
          about="Example"
          code={{
            curl: "curl -s http://localhost:8080/v1/runs",
            cli: "millrace runs list",
            typescript: "await millrace.runs.list();",
          }}
        />
        <Button
          onClick={() => toast({ title: "Replayed 3 runs", action: { label: "View result", onClick: () => {} } })}
        >
          Toast
        </Button>
        <Button onClick={() => toast({ tone: "bad", title: "Not replayed", detail: "The run is still running." })}>
          Error toast
        </Button>
      </Shelf>
      <ConfirmDialog
        open={open === "confirm"}
        onClose={close}
        title="Cancel 3 runs?"
        action="Cancel 3 runs"
        danger
        onConfirm={async () => {}}
      >
        <p>Running runs and their child runs are canceled.</p>
      </ConfirmDialog>
      <TypedConfirm
        open={open === "typed"}
        onClose={close}
        title="Delete staging?"
        action="Delete environment"
        typed="staging"
        onConfirm={async () => {}}
      >
        <p>Its variables are lost.</p>
      </TypedConfirm>
      <SecretOnce
        secret={open === "secret" ? "svc_0123456789abcdef0123456789abcdef" : undefined}
        title="API key created"
        variable="MILLRACE_API_KEY"
        onClose={close}
      />
      <Sheet open={open === "sheet"} onClose={close} title="A panel">
        <p className="p-4">Scrolling content.</p>
      </Sheet>
    </>
  );
}
