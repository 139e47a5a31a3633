import { uuidv7 } from "uuidv7";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are made here and not by the database, so that a commit whose answer was lost can be repeated safely. */
export function newId(): string {
  return uuidv7();
}

export function isId(text: string): boolean {
  return UUID.test(text);
}

/** The least id that could have been made at a time: ids made before are less, whatever else they hold. */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
