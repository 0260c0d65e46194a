export { OCSF_CLASSES, OCSF_VERSION, type OcsfClassName } from "./ocsf-classes.ts";
export type { OcsfOverrides } from "./choose-class.ts";
export type { SourceEvent } from "./source-event.ts";
export { fromOcsf } from "./from-ocsf.ts";
export { toCloudEvent } from "./to-cloud-event.ts";
export { toEcs } from "./to-ecs.ts";
export { toOcsf } from "./to-ocsf.ts";
