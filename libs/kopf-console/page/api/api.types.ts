/** The shapes of all answers are those of the server; nothing but types is taken from there. */
export type * from '../../src/console.api.js';
