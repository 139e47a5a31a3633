import { foldEmail } from "../../platform/access/email-address.ts";
import type { Op, Path } from "./patch-path.ts";
import { onlyValue } from "./user-fields.ts";

type Email = Record<string, unknown>;

/** `emails`, `emails.value`, `emails[type eq "work"].value` and `emails[value eq "ada@example.com"]`. */
export function patchEmails(emails: Email[] = [], { op, at, value }: { op: Op; at: Path; value: unknown }): unknown {
  const { by, equal, part } = at;
  if (by === undefined && part === undefined) return patchAll(emails, op, value);
  if (by === undefined) return part === "value" && op !== "remove" ? [{ value: onlyValue(value), primary: true }] : [];
  const isMeant = (email: Email) => foldEmail(String(email[by] ?? "")) === foldEmail(equal);
  const isWhole = part === undefined || part === "value";
  if (op === "remove" && isWhole) return emails.filter((email) => !isMeant(email));
  const change = part === undefined ? (value as Email) : { [part]: op === "remove" ? undefined : onlyValue(value) };
  if (emails.some(isMeant)) return emails.map((email) => (isMeant(email) ? { ...email, ...change } : email));
  return [...emails, { [by]: equal, ...change }];
}

function patchAll(emails: Email[], op: Op, value: unknown): unknown {
  if (op === "replace") return value;
  const given = [value].flat().filter((each): each is Email => typeof each === "object" && each !== null);
  const others = emails.filter((email) => !given.some((each) => each.value === email.value));
  if (op === "add") return [...others, ...given];
  return value === undefined ? [] : others;
}
