import { randomBytes, scrypt } from "node:crypto";
import { unavailable } from "../../errors/errors.ts";

/** OWASP's parameters for 32 MiB of memory. */
export const PASSWORD_COST = 2 ** 15;
const OPTIONS = { r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
/** Derivations at the same time: each takes 32 MiB and a thread that the service also needs for other work. */
const MAX_CONCURRENT = 2;
/** Bounds the wait to what a person accepts. Anyone may try to sign in, from many addresses at once. */
const MAX_WAITING = 50;

export type Derived = { password_hash: Buffer; totp_key: Buffer };

let running = 0;
const waiting: (() => void)[] = [];

export function newSalt(): Buffer {
  return randomBytes(16);
}

/** Half of the key proves the password, the other half encrypts the account's TOTP secret. */
export async function derivePassword(password: string, salt: Buffer, N: number): Promise<Derived> {
  await acquireSlot();
  try {
    const key = await new Promise<Buffer>((resolve, reject) =>
      scrypt(password.normalize("NFKC"), salt, 64, { N, ...OPTIONS }, (error, derived) =>
        error ? reject(error) : resolve(derived),
      ),
    );
    return { password_hash: key.subarray(0, 32), totp_key: key.subarray(32) };
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** Passes a released slot to the next in the queue. */
async function acquireSlot(): Promise<void> {
  if (running < MAX_CONCURRENT) running++;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
  else throw unavailable("Too many people are signing in. Try again in a moment.");
}
