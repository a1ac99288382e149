import { ObjectCause } from './object.cause.js';

/** An object for which daemons and timers are to run. */
export class SpawningCause extends ObjectCause {}
