import { Socket } from "node:net";

export type DatabaseSockets = {
  /** The socket of a new connection. */
  open: () => Socket;
  /** All bytes that ever came from the database: while this grows, it lives. */
  heardBytes: () => number;
  /** Remembers, at the moment the database falls silent, how much each connection has heard. */
  noteSilence: () => void;
  /** Closes the connections that have heard nothing since. */
  closeSilent: () => void;
  closeAll: () => void;
};

const NOT_NOTED = -1;

/**
 * The sockets below our connections. After an outage some of them may be dead without knowing it: a firewall that
 * forgot them, a server that was moved. Whoever got such a connection from the pool would wait in vain.
 */
export function openDatabaseSockets(): DatabaseSockets {
  const heard = new Map<Socket, number>();
  let heardOnClosed = 0;

  function open(): Socket {
    const socket = new Socket();
    socket.once("connect", () => writeTogether(socket)); // connecting sets `write` back
    heard.set(socket, NOT_NOTED);
    socket.once("close", () => {
      heard.delete(socket);
      heardOnClosed += socket.bytesRead;
    });
    return socket;
  }

  function heardBytes(): number {
    let bytes = heardOnClosed;
    for (const socket of heard.keys()) bytes += socket.bytesRead;
    return bytes;
  }

  return {
    open,
    heardBytes,
    noteSilence: () => {
      for (const socket of heard.keys()) heard.set(socket, socket.bytesRead);
    },
    closeSilent: () => {
      for (const [socket, bytes] of heard) if (socket.bytesRead === bytes) socket.destroy();
    },
    closeAll: () => {
      for (const socket of heard.keys()) socket.destroy();
    },
  };
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
