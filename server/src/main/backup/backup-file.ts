import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { createGunzip } from "node:zlib";

/**
 * A backup is a compressed text: a line of JSON with the header; for each table of the header its rows in PostgreSQL's
 * COPY format, ended by a line `\.`; and a line of JSON with the trailer.
 */
export type BackupHeader = {
  format: "millrace-backup/1";
  created_at: string;
  /** The migrations that the database had, in order. */
  schema: string[];
  /** In an order in which no row refers to a later table. */
  tables: { name: string; columns: string[] }[];
  sequences: { name: string; last: string }[];
};

type BackupTrailer = { rows: Record<string, number>; sha256: string };

/** The file is no backup, is damaged, or does not fit the database. The message says which. */
export class BackupError extends Error {}

const END = Buffer.from("\\.\n");
const NEWLINE = 0x0a;
const CHUNK_BYTES = 65_536;
/** A row has at most this size: 1 GB is PostgreSQL's own limit. */
const MAX_LINE_BYTES = 1_100_000_000;

export type BackupReader = {
  header: BackupHeader;
  /** The rows of the next table of the header, in whole lines. */
  rows: () => AsyncGenerator<Buffer>;
  /** After the last table: refuses a file that is not as it was written. Returns the number of rows of each table. */
  finish: () => Promise<Record<string, number>>;
};

export async function openBackup(path: string): Promise<BackupReader> {
  const hash = createHash("sha256");
  const lines = linesOf(path);
  const counts: number[] = [];
  const next = async (): Promise<Buffer> => {
    const { value, done } = await lines.next();
    if (done) throw new BackupError(`${path} ends too early: it is incomplete`);
    return value;
  };
  const first = await next();
  const header = parseHeader(path, first);
  hash.update(first);

  async function* rows(): AsyncGenerator<Buffer> {
    let [chunk, bytes, count]: [Buffer[], number, number] = [[], 0, 0];
    for (;;) {
      const line = await next();
      hash.update(line);
      const isEnd = line.equals(END);
      if (!isEnd) {
        chunk.push(line);
        bytes += line.length;
        count++;
      }
      if (bytes > 0 && (isEnd || bytes >= CHUNK_BYTES)) {
        yield Buffer.concat(chunk);
        [chunk, bytes] = [[], 0];
      }
      if (isEnd) return void counts.push(count);
    }
  }

  async function finish(): Promise<Record<string, number>> {
    const trailer = JSON.parse((await next()).toString()) as BackupTrailer;
    const counted = Object.fromEntries(header.tables.map(({ name }, index) => [name, counts[index] ?? 0]));
    const isComplete = trailer.sha256 === hash.digest("hex") && isDeepStrictEqual(trailer.rows, counted);
    if (!isComplete) throw new BackupError(`${path} is damaged: its checksum differs`);
    return counted;
  }

  return { header, rows, finish };
}

function parseHeader(path: string, line: Buffer): BackupHeader {
  try {
    const header = JSON.parse(line.toString()) as BackupHeader;
    if (header.format === "millrace-backup/1") return header;
  } catch {
    // Not JSON, so not a header.
  }
  throw new BackupError(`${path} is not a backup of Millrace`);
}

async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const file = createReadStream(path);
  const unzipped = createGunzip();
  file.on("error", (error) => unzipped.destroy(error)).pipe(unzipped);
  try {
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
        const line = chunk.subarray(from, end + 1);
        yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
        [rest, restBytes, from] = [[], 0, end + 1];
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes > MAX_LINE_BYTES) throw new BackupError(`${path} is not a backup of Millrace`);
    }
  } catch (error) {
    if (error instanceof BackupError || (error as NodeJS.ErrnoException).syscall) throw error;
    throw new BackupError(`${path} is damaged or is not a backup: ${(error as Error).message}`);
  } finally {
    file.destroy();
  }
}
