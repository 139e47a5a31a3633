import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "./embedded-postgres-error.ts";
import { birthMark, isRunning } from "./running-process.ts";

/** Who holds the file. The birth mark tells a dead holder from a later process with his pid. */
export interface Holder {
  pid: number;
  birth_mark: string | undefined;
  /** Never the same twice. */
  token: string;
}

export type Claim<H extends Holder> = { kind: "held"; release: () => void } | { kind: "refused"; holder: H };

/** Takes the file for this process, unless a living process has it. Of several that try at once, exactly one gets it. */
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
  return { pid: process.pid, birth_mark: birthMark(process.pid), token: randomUUID() };
}

/** A link appears with its content or not at all, and fails when the name is taken. */
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
    // A full disk takes the name, and nothing of the content.
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

/** A power cut may leave the file empty; it counts as that of a dead holder, who is never shown. */
const UNREADABLE: Holder = { pid: 0, birth_mark: undefined, token: "unreadable" };

function isAlive({ pid, birth_mark }: Holder): boolean {
  return isRunning(pid) && (birth_mark === undefined || birthMark(pid) === birth_mark);
}

/**
 * Only whoever claims the dead holder's token may replace his file, and looks again once he has the claim: without that, a slow
 * process would replace the file of the one that was quicker. A claimer who dies in between is replaced in the same way.
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
