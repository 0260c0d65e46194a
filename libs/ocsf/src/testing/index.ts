// What the tests of other packages use of this folder.

export { ecsFaults } from "./validate-ecs.ts";
export { ocsfFaults } from "./validate-ocsf.ts";
