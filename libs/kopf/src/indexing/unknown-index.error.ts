import { KopfError } from '../common/kopf.errors.js';

/** The error of a request for an index that no handler keeps. */
export class UnknownIndexError extends KopfError {
  readonly code = 'KOPF_UNKNOWN_INDEX';

  constructor(name: string) {
    super(`There is no index '${name}': no method has @Index() with this name.`);
  }
}
