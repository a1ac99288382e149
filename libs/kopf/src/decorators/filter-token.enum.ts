/** In filters: the label, annotation, or field is there, whatever its value. */
export const PRESENT: unique symbol = Symbol.for('nestjs-kopf.PRESENT');

/** In filters: the label, annotation, or field is not there. */
export const ABSENT: unique symbol = Symbol.for('nestjs-kopf.ABSENT');
