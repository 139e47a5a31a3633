import type { Session } from "@millrace/contract/access/session";
import { useRouter } from "@tanstack/react-router";
import { CircleUser, LogOut, UserRoundCog } from "lucide-react";
import { call } from "../api/call.ts";
import { useMe, usePermissions } from "../api/me.ts";
import { asProblem } from "../api/problem.ts";
import { cx } from "../parts/class-names.ts";
import { capitalized } from "../parts/format.ts";
import { Menu } from "../parts/overlay/menu.tsx";
import { toast } from "../parts/overlay/toasts.tsx";
import { changeSettings, useSettings } from "../parts/settings.ts";
import { usePlace } from "./place/place.ts";

/** Signed-in account, display settings and sign-out. */
export function AccountMenu({ isSmall }: { isSmall: boolean }) {
  const { data: me } = useMe();
  const permissions = usePermissions();
  const settings = useSettings();
  const { project, at } = usePlace();
  const { history } = useRouter();
  const isPerson = me?.kind === "member" && me.key_id === null;
  const name = me?.kind === "internal_secret" ? "Internal secret" : (me?.name ?? me?.subject ?? "API key");
  return (
    <Menu
      label="Account"
      width={240}
      trigger={
        <button
          type="button"
          aria-label={`Account: ${name}`}
          className={cx(
            "flex h-8 items-center gap-2 rounded-sm text-ink-2 hover:bg-hover hover:text-ink",
            isSmall ? "w-8 justify-center" : "min-w-0 flex-1 px-2",
          )}
        >
          <CircleUser size={16} aria-hidden="true" className="flex-none" />
          {!isSmall && <span className="truncate">{name}</span>}
        </button>
      }
      items={[
        {
          kind: "heading",
          label: me?.kind === "internal_secret" ? "Full access to all projects" : `${permissions.length} scopes`,
        },
        { kind: "line" },
        { kind: "heading", label: "Row height" },
        ...(["compact", "normal", "comfortable"] as const).map((density) => ({
          label: capitalized(density),
          checked: settings.density === density,
          keepOpen: true,
          onSelect: () => changeSettings({ density }),
        })),
        { kind: "line" },
        {
          label: "Show times in UTC",
          checked: settings.zone === "utc",
          keepOpen: true,
          onSelect: () => changeSettings({ zone: settings.zone === "utc" ? "local" : "utc" }),
        },
        {
          label: "Single-key shortcuts",
          checked: settings.single_keys === "on",
          keepOpen: true,
          onSelect: () => changeSettings({ single_keys: settings.single_keys === "on" ? "off" : "on" }),
        },
        { kind: "line" },
        ...(isPerson && project !== ""
          ? [{ label: "Account", icon: <UserRoundCog size={14} />, onSelect: () => history.push(at("account")) }]
          : []),
        { label: "Sign out", icon: <LogOut size={14} />, onSelect: () => void signOut() },
      ]}
    />
  );
}

/** Ends this session, then that of the identity provider, if it has a page for it. */
async function signOut(): Promise<void> {
  let next: string | null = null;
  try {
    next = (await call<Session>("GET", "/v1/session")).sign_out_url;
    await call("DELETE", "/v1/session");
  } catch (error) {
    const { status, detail } = asProblem(error);
    if (status !== 401) return void toast({ tone: "bad", title: "Sign-out failed", detail });
  }
  if (next === null) dispatchEvent(new CustomEvent("signed-out"));
  else location.assign(next);
}
