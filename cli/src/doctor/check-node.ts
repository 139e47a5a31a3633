import { type Check, failed, ok } from "./check.ts";

const LEAST = [20, 19] as const;

export const checkNode: Check = async () => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isEnough = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (isEnough) return [ok("node", `Node ${process.versions.node}`)];
  return [
    failed(
      "node",
      `Node ${process.versions.node} is too old`,
      `Install Node ${LEAST.join(".")} or newer; 24 is recommended.`,
    ),
  ];
};
