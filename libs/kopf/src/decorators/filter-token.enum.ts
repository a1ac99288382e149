/** Requires the label, annotation, or field to be present, with any value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** Requires the label, annotation, or field to be absent. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');
