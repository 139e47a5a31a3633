import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "../embedded-postgres-error.ts";
import { isRunning, processStart } from "../running-process.ts";

/** The holder of the file. The start time distinguishes a dead holder from a later process with the same pid. */
export interface Holder {
  pid: number;
  process_start: string | undefined;
  /** Unique per acquisition. */
  token: string;
}

export type Claim<H extends Holder> = { kind: "held"; release: () => void } | { kind: "refused"; holder: H };

/**
 * Acquires the file for this process unless a living process holds it. Of several concurrent attempts exactly one
 * succeeds.
 */
export async function claimFile<H extends Holder>(file: string, own: H): Promise<Claim<H>> {
  for (;;) {
    if (createWhole(file, own)) return { kind: "held", release: () => releaseFile(file, own) };
    const holder = readHolder<H>(file);
    if (!holder) continue;
    if (isAlive(holder)) return { kind: "refused", holder };
    if (await replaceDead(file, holder, own)) return { kind: "held", release: () => releaseFile(file, own) };
    await pause(5);
  }
}

export function newHolder(): Holder {
  return { pid: process.pid, process_start: processStart(process.pid), token: randomUUID() };
}

/** A link appears with its content or not at all, and fails when the name exists. */
function createWhole(file: string, own: Holder): boolean {
  const draft = writeDraft(file, own);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(file: string, own: Holder): string {
  const draft = `${file}.draft-${randomUUID()}`;
  try {
    writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  } catch (error) {
    // On a full disk the name is created without the content.
    rmSync(draft, { force: true });
    throw error;
  }
  return draft;
}

function readHolder<H extends Holder>(file: string): H | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (error instanceof SyntaxError) return UNREADABLE as H;
    throw error;
  }
}

/** A power cut may leave the file empty; it then counts as that of a dead holder, without details to show. */
const UNREADABLE: Holder = { pid: 0, process_start: undefined, token: "unreadable" };

function isAlive({ pid, process_start }: Holder): boolean {
  return isRunning(pid) && (process_start === undefined || processStart(pid) === process_start);
}

/**
 * Only the process that claims the dead holder's token may replace the file, and it checks again once it has the claim:
 * otherwise a slow process would replace the file of a faster one. A claimer that dies in between is replaced in the
 * same way.
 */
async function replaceDead(file: string, dead: Holder, own: Holder): Promise<boolean> {
  const claim = await claimFile(`${file}.${dead.token}`, newHolder());
  if (claim.kind === "refused") return false;
  try {
    if (readHolder(file)?.token !== dead.token) return false;
    renameSync(writeDraft(file, own), file);
    return true;
  } finally {
    claim.release();
  }
}

function releaseFile(file: string, own: Holder): void {
  if (readHolder(file)?.token === own.token) rmSync(file);
}
