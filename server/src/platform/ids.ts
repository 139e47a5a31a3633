import { uuidv7 } from "uuidv7";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids are made here and not by the database, so that a commit whose answer was lost can be repeated safely. */
export function newId(): string {
  return uuidv7();
}

export function isId(text: string): boolean {
  return UUID.test(text);
}
