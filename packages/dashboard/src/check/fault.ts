// Why an export does not verify. Thrown by the checks of this folder.

export class Fault extends Error {}
