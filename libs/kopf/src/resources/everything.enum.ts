/** Selects all resources of the cluster, except events: `@OnEvent(EVERYTHING)`. */
export const EVERYTHING: unique symbol = Symbol.for('nestjs-kopf.EVERYTHING');
