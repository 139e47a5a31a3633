import type { ApiKey } from "@millrace/contract/access/api-keys";
import { KeyRound, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList } from "../../api/use-api.ts";
import { AsCode } from "../../parts/code/as-code.tsx";
import { Button } from "../../parts/form/button.tsx";
import { Inspector } from "../../parts/overlay/inspector.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ListPage } from "../../parts/table/list-page.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { useEnvironments } from "../../shell/place/use-places.ts";
import { usePeek } from "../../shell/use-peek.ts";
import { codeOf } from "../code-of.ts";
import { CreateApiKey } from "./create-api-key.tsx";
import { EditLimits } from "./edit-limits.tsx";
import type { KeyAction } from "./key-action.ts";
import { keyColumns } from "./key-columns.tsx";
import { KeyPeek } from "./key-peek.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";

/** API keys for programs. */
export default function ApiKeysPage() {
  const list = useApiList<ApiKey>("/v1/api-keys");
  const disabledReason = useDisabledReason("api-keys:write");
  const [isCreating, setCreating] = useState(false);
  const [pendingAction, setPendingAction] = useState<KeyAction>();
  const { peek, peeked, toggle, close } = usePeek(list.rows, "/v1/api-keys");
  const environments = useEnvironments();
  const columns = useMemo(
    () => keyColumns(disabledReason, setPendingAction, environments),
    [disabledReason, environments],
  );
  const stop = () => setPendingAction(undefined);
  useCommands([{ label: "Create API key", run: () => disabledReason ?? setCreating(true) }]);
  return (
    <ListPage
      title="API keys"
      label="API keys"
      actions={
        <>
          <AsCode about="API keys" code={codeOf({ method: "GET", path: "/v1/api-keys" })} />
          <Button
            kind="primary"
            icon={<Plus size={15} />}
            disabledReason={disabledReason}
            onClick={() => setCreating(true)}
          >
            Create API key
          </Button>
        </>
      }
      list={list}
      columns={columns}
      current={peek}
      onPeek={toggle}
      empty={
        <EmptyState icon={<KeyRound size={20} />} title="No API keys yet">
          Programs need an API key to call the API.
        </EmptyState>
      }
    >
      <Inspector open={peeked !== undefined} onClose={close} label="API key" title={peeked?.name ?? ""}>
        {peeked && (
          <KeyPeek
            apiKey={peeked}
            environments={environments}
            disabledReason={disabledReason}
            onAction={setPendingAction}
          />
        )}
      </Inspector>
      <CreateApiKey open={isCreating} onClose={() => setCreating(false)} />
      <EditLimits apiKey={pendingAction?.verb === "limit" ? pendingAction.key : undefined} onClose={stop} />
      <RotateKey apiKey={pendingAction?.verb === "rotate" ? pendingAction.key : undefined} onClose={stop} />
      <RevokeKey apiKey={pendingAction?.verb === "revoke" ? pendingAction.key : undefined} onClose={stop} />
    </ListPage>
  );
}
