import type { Member } from "@millrace/contract/access/members";
import { Mail, Plus, Users } from "lucide-react";
import { useState } from "react";
import { useDisabledReason } from "../../api/me.ts";
import { useApiList, useChange } from "../../api/use-api.ts";
import { Button } from "../../parts/form/button.tsx";
import { EmptyState } from "../../parts/state/empty-state.tsx";
import { ErrorState } from "../../parts/state/error-state.tsx";
import { SkeletonLines } from "../../parts/state/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useCommands } from "../../shell/command-menu/commands.ts";
import { AssignMembers } from "./assign-members.tsx";
import { InviteMember } from "./invite-member.tsx";
import { LeaveProject } from "./leave-project.tsx";
import { MemberMenu } from "./member-menu.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { useRoles } from "./roles-tab.tsx";
import { TransferAdmin } from "./transfer-admin.tsx";

/** Members sign in through an identity provider or with a local account; each has one role. */
export function MembersTab() {
  const list = useApiList<Member>("/v1/members", { limit: 100 });
  const disabledReason = useDisabledReason("access:write");
  const [isAssigning, setAssigning] = useState(false);
  const [isInviting, setInviting] = useState(false);
  const { rows, error } = list;
  useCommands([{ label: "Invite member", run: () => disabledReason ?? setInviting(true) }]);
  return (
    <section aria-label="Members" className="card overflow-hidden">
      <div className="flex min-h-12 items-center justify-between border-b pr-2 pl-4">
        <h2 className="font-medium">Members</h2>
        <div className="flex flex-wrap justify-end gap-2 py-2">
          <TransferAdmin members={rows ?? []} />
          <LeaveProject />
          <Button
            size="small"
            icon={<Mail size={14} />}
            disabledReason={disabledReason}
            onClick={() => setInviting(true)}
          >
            Invite
          </Button>
          <Button
            size="small"
            icon={<Plus size={14} />}
            disabledReason={disabledReason}
            onClick={() => setAssigning(true)}
          >
            Assign members
          </Button>
        </div>
      </div>
      {error && <ErrorState as="banner" error={error} onRetry={() => void list.refetch()} />}
      {!rows && !error && (
        <div className="p-4">
          <SkeletonLines lines={4} />
        </div>
      )}
      {rows?.length === 0 && (
        <EmptyState small icon={<Users size={20} />} title="No members yet">
          Invite a person, or assign a role to a subject of your identity provider (OIDC). Until then only API keys and
          the internal secret have access.
        </EmptyState>
      )}
      <ul className="divide-y">
        {rows?.map((member) => (
          <MemberRow key={member.id} member={member} disabledReason={disabledReason} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="border-t p-2 text-center">
          <Button size="small" kind="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      <OpenInvitations disabledReason={disabledReason} />
      {isAssigning && <AssignMembers onClose={() => setAssigning(false)} />}
      {isInviting && <InviteMember onClose={() => setInviting(false)} />}
    </section>
  );
}

type RowProps = { member: Member; disabledReason: string | undefined };

/** Role changes are saved immediately and confirmed by a toast. */
function MemberRow({ member, disabledReason }: RowProps) {
  const roles = useRoles().data?.data ?? [];
  const name = member.name ?? member.subject;
  const assign = useChange<string>({
    run: (role_id, send) =>
      send("POST", "/v1/members", { subject: member.subject, role_id, ...(member.name && { name: member.name }) }),
    done: (_, role) => `Role of ${name} changed to ${roles.find(({ id }) => id === role)?.name ?? role}`,
    invalidates: ["/v1/members"],
  });
  return (
    <li className="flex min-h-12 items-center gap-3 py-1.5 pr-2 pl-4">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        {member.name && <code className="block truncate font-mono text-ink-3 text-xs">{member.subject}</code>}
        {member.by_rule && <span className="block text-ink-3 text-xs">Role by sign-in rule</span>}
      </span>
      <select
        aria-label={`Role of ${name}`}
        className="field !h-7 !w-36 flex-none text-xs"
        title={disabledReason}
        disabled={disabledReason !== undefined || assign.isPending}
        value={member.role_id}
        onChange={(event) => assign.mutate(event.target.value)}
      >
        {[...new Map([[member.role_id, member.role_name], ...roles.map(({ id, name: of }) => [id, of] as const)])].map(
          ([id, of]) => (
            <option key={id} value={id}>
              {of}
            </option>
          ),
        )}
      </select>
      <span className="w-28 flex-none text-right text-ink-2 max-sm:hidden">
        {member.last_seen_at ? <Time at={member.last_seen_at} /> : "Never seen"}
      </span>
      <MemberMenu member={member} />
    </li>
  );
}
