// The wrapper of successful bodies (interface 4): an object with the key data.

import { Type, type TSchema } from "typebox";

export const dataOf = <T extends TSchema>(schema: T) => Type.Object({ data: schema });
