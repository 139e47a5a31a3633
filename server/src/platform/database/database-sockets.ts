import { Socket } from "node:net";

export type DatabaseSockets = {
  /** The socket of a new connection. */
  open: () => Socket;
  /** The same, closed at once while the database is silent: whoever waited for it would wait in vain. */
  openUnlessSilent: () => Socket;
  /** All bytes that ever came from the database: while this grows, it lives. */
  heardBytes: () => number;
  /** The database falls silent: remembers how much each connection has heard. */
  noteSilence: () => void;
  /** It is back: closes the connections that have heard nothing since. */
  closeSilent: () => void;
  closeAll: () => void;
};

const NOT_NOTED = -1;
/** A server that is there greets within milliseconds. One that is not would keep a place of the pool until it is back. */
const FIRST_WORD_MS = 2_000;

/**
 * The sockets below our connections. After an outage some of them may be dead without knowing it: a firewall that
 * forgot them, a server that was moved. Whoever got such a connection from the pool would wait in vain.
 */
export function openDatabaseSockets(): DatabaseSockets {
  const heard = new Map<Socket, number>();
  let heardOnClosed = 0;
  let isSilent = false;

  function open(): Socket {
    const socket = new Socket();
    socket.once("connect", () => writeTogether(socket)); // connecting sets `write` back
    heard.set(socket, NOT_NOTED);
    const timeouts = setTimeout(() => closeIdleConnections(socket), FIRST_WORD_MS).unref();
    socket.once("close", () => {
      clearTimeout(timeouts);
      heard.delete(socket);
      heardOnClosed += socket.bytesRead;
    });
    return socket;
  }

  function openUnlessSilent(): Socket {
    const socket = open();
    if (isSilent) process.nextTick(() => socket.destroy());
    return socket;
  }

  function heardBytes(): number {
    let bytes = heardOnClosed;
    for (const socket of heard.keys()) bytes += socket.bytesRead;
    return bytes;
  }

  return {
    open,
    openUnlessSilent,
    heardBytes,
    noteSilence: () => {
      isSilent = true;
      for (const socket of heard.keys()) heard.set(socket, socket.bytesRead);
    },
    closeSilent: () => {
      isSilent = false;
      for (const [socket, bytes] of heard) if (socket.bytesRead === bytes) socket.destroy();
    },
    closeAll: () => {
      for (const socket of heard.keys()) socket.destroy();
    },
  };
}

/** What came while this process was too busy to hear it is read before, then counts. */
function closeIdleConnections(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}

/**
 * What is written within one turn of the event loop leaves in one message: `begin` with the statements behind it, those
 * that are sent together, those of many callers on one connection. Each message costs about 90 µs here, most of it to
 * wake the other process.
 */
function writeTogether(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isHeld = false;
  function letGo(): void {
    isHeld = false;
    socket.uncork();
  }
  socket.write = ((...args: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      // Ticks that are asked for by a microtask come when no microtask is left.
      queueMicrotask(() => process.nextTick(letGo));
    }
    return write(...args);
  }) as typeof socket.write;
}
