import { ObjectCause } from './object.cause.js';

/** An object that is to be indexed. */
export class IndexingCause extends ObjectCause {}
