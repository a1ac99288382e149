import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import type { AdmissionServer } from '../reviews/admission-server.interface.js';

/** A DNS name of at least two parts, so that the names of webhooks have three, as Kubernetes demands. */
const DOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Requires something that can serve webhooks; it is a class of the library, or of users. */
function IsAdmissionServer(): PropertyDecorator {
  return ValidateBy({
    name: 'isAdmissionServer',
    validator: {
      validate: (value: Partial<AdmissionServer>) => typeof value.serve === 'function',
      defaultMessage: () => 'server must be an AdmissionServer, with a method serve()',
    },
  });
}

/** Configures how the API server asks the operator about objects before they are stored. All durations are in seconds. */
export class AdmissionSettings {
  /**
   * The name of the `ValidatingWebhookConfiguration` and of the `MutatingWebhookConfiguration` that the operator keeps up to date,
   * and the end of the names of their webhooks: `auto.kopf.dev`. Others must not use it. @default none: they are made by others
   */
  @IsOptional()
  @MaxLength(253)
  @Matches(DOMAIN, { message: 'managed must be a lower-case domain of at least two parts, such as auto.kopf.dev' })
  managed: string | null = null;

  /** Serves the webhooks. @default the controller of `KopfAdmissionModule`, if there is one */
  @IsOptional() @IsAdmissionServer() server: AdmissionServer | null = null;

  /**
   * Limits the time of all handlers of one review together; then it is rejected with the code 504. It is less than the 30
   * seconds after which the API server gives up, so that the user sees why. @default 29
   */
  @IsNumber() @Min(0.001) @Max(30) timeout = 29;

  /**
   * Sets what becomes of the indices that reviews read while the operator pauses, as a replica on standby does. `watch`: the indexed resources
   * are watched on all replicas, and nothing but the indices is filled. `reject`: they are not, and reviews whose handlers
   * read an index are rejected with the code 503. @default 'watch'
   */
  @IsIn(['watch', 'reject']) standbyIndices: 'watch' | 'reject' = 'watch';

  /**
   * Sets what handlers of reviews get for the memo of an object that other handlers may have written into, while the operator pauses. `reject`:
   * nothing, and reviews whose handlers read it are rejected with the code 503. `empty`: a memo as that of a new object. @default 'reject'
   */
  @IsIn(['reject', 'empty']) standbyMemos: 'reject' | 'empty' = 'reject';

  /**
   * Limits how long a review waits for an index that a handler reads, before it is rejected with the code 503: until the objects are listed after
   * a start, or the watch goes on. Other reviews do not wait. @default 5
   */
  @IsNumber() @Min(0) indexTimeout = 5;

  /**
   * Sets for how long the watch of an indexed resource may be interrupted before reviews do not rely on the index any more. @default 10
   */
  @IsNumber() @Min(0) indexStaleness = 10;

  /**
   * Shows the texts of all errors of handlers and filters to users of the API, as in Kopf. Otherwise they see those of
   * `AdmissionError`, `PermanentError`, and `TemporaryError`, which are written for them; of others, such as a failed
   * connection to a database, they only learn that there was one, and the log has the rest. @default false
   */
  @IsBoolean() exposeErrors = false;

  /** Limits the bytes of a review, which holds the object twice. @default 8 MiB, as API servers take objects of up to 3 MiB */
  @IsInt() @Min(1) bodyLimit = 8 * 1024 * 1024;

  /**
   * Keeps webhooks in the managed configurations that are not the operator's, by the ends of their names. The operator needs
   * the permission to `get` the configurations then. @default false, as in Kopf: they are overwritten
   */
  @IsBoolean() keepForeign = false;

  /**
   * Sets how often the managed configurations are written again, without a known change; 0 for never. If the operator is
   * allowed to watch them, changes by others are repaired at once anyway; otherwise it is this that repairs them. @default 60
   */
  @IsNumber() @Min(0) refreshInterval = 60;

  /**
   * Sets the strategy of CRDs with `@Convert` handlers back to `None` at the exit, with managed configurations. The API server then changes
   * nothing but the `apiVersion`, and fields that the other version does not have are lost; so this is for development. Otherwise, the
   * webhooks stay in the CRDs, and objects can be used in the version in which they are stored. @default false
   */
  @IsBoolean() releaseConversions = false;

  /**
   * Sets how long reviews are still answered after the webhooks were removed at the exit: API servers notice the removal a
   * little later. @default 1
   */
  @IsNumber() @Min(0) exitDelay = 1;
}
