/**
 * Collects a body up to a cap. Chunks are copied into one growing buffer: an endpoint that sends a megabyte in
 * one-byte chunks would otherwise cost a hundred times that in small objects.
 */
export class ResponseBody {
  truncated = false;
  #held = Buffer.alloc(0);
  #size = 0;
  readonly #capBytes: number;

  constructor(capBytes: number) {
    this.#capBytes = capBytes;
  }

  add(chunk: Buffer): void {
    const room = this.#capBytes - this.#size;
    this.truncated = chunk.length > room;

    const taken = Math.min(chunk.length, room);
    this.#growTo(this.#size + taken);
    chunk.copy(this.#held, this.#size, 0, taken);
    this.#size += taken;
  }

  bytes(): Buffer {
    return this.#held.subarray(0, this.#size);
  }

  #growTo(size: number): void {
    if (size <= this.#held.length) return;

    const grown = Buffer.allocUnsafe(Math.max(size, Math.min(this.#held.length * 2, this.#capBytes)));
    this.#held.copy(grown, 0, 0, this.#size);
    this.#held = grown;
  }
}
