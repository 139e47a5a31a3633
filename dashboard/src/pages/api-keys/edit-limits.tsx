import type { ApiKey, UpdateApiKey } from "@millrace/contract/access/api-keys";
import { useChange } from "../../api/use-api.ts";
import { FormDialog } from "../../parts/form/form-dialog.tsx";
import { LimitFields, limitsOf } from "./limit-fields.tsx";

/** Changes the rate limits of a key. */
export function EditLimits({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const update = useChange<UpdateApiKey, ApiKey>({
    run: (body, send) => send("PATCH", `/v1/api-keys/${apiKey?.id}`, body),
    invalidates: ["/v1/api-keys"],
  });
  const submit = async (form: FormData) => {
    await update.mutateAsync({ rate_limits: limitsOf(form) });
    onClose();
  };
  return (
    <FormDialog
      open={apiKey !== undefined}
      onClose={onClose}
      title={`Rate limits of ${apiKey?.name ?? "key"}`}
      description="For requests with this key, these limits replace the limits per client address."
      action="Save limits"
      onSubmit={submit}
    >
      <LimitFields limits={apiKey?.rate_limits ?? null} />
    </FormDialog>
  );
}
