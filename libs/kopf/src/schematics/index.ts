// schematics: `nest add nestjs-kopf` and `nest generate -c nestjs-kopf resource|operator|webhook|daemon`. Nest's command loads it:
// `libs/kopf/schematics/collection.json` names these functions, and the folders beside it have their options and templates.
// May import: nothing of the library, and nothing of Angular's devkit, so that applications need neither to be scaffolded.
export { nestAdd } from './nest-add.schematic.js';
export { generateDaemon, generateOperator, generateWebhook } from './handler.schematics.js';
export { generateResource } from './resource.schematic.js';
