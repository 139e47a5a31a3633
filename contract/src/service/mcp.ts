import Type, { type Static } from "typebox";

export const McpQuery = Type.Object(
  {
    allow_write: Type.Optional(
      Type.Boolean({ description: "Offers tools that change something, each after a plan that the person agrees to." }),
    ),
    trust_client: Type.Optional(
      Type.Boolean({ description: "For clients that confirm every call with the person, and cannot be asked to." }),
    ),
  },
  { additionalProperties: false },
);
export type McpQuery = Static<typeof McpQuery>;
