import { KopfError } from '../common/kopf.errors.js';

/** An object's essence does not fit into its annotations, of which Kubernetes accepts 256 KiB in all. */
export class EssenceTooLargeError extends KopfError {
  readonly code = 'KOPF_ESSENCE_TOO_LARGE';

  /** @param size the size of all annotations, in bytes, that storing the essence would lead to. */
  constructor(readonly size: number) {
    super(
      `The essence does not fit into the annotations, which would have ${size} bytes, and 262144 are possible. ` +
        "Keep its hash instead with the option oversize: 'hash', or ignore large fields.",
    );
  }
}
