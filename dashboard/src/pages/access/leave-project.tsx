import { LogOut } from "lucide-react";
import { useState } from "react";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { ConfirmDialog } from "../../parts/overlay/confirm-dialog.tsx";

/** Only people can leave: keys are revoked. */
export function LeaveProject() {
  const { data: me } = useMe();
  const [isAsking, setAsking] = useState(false);
  const leave = useChange({
    run: (_, send) => send("POST", "/v1/members/leave"),
    onDone: () => location.assign("/"),
  });
  if (me?.kind !== "member" || me.key_id !== null) return null;
  return (
    <>
      <Button size="small" icon={<LogOut size={14} />} onClick={() => setAsking(true)}>
        Leave project
      </Button>
      <ConfirmDialog
        danger
        open={isAsking}
        onClose={() => setAsking(false)}
        title="Leave this project?"
        action="Leave project"
        onConfirm={() => leave.mutateAsync()}
      >
        <p>You lose access to it. Only an administrator can add you again.</p>
      </ConfirmDialog>
    </>
  );
}
